//! `claw schema`: prints JSON Schemas, and checks files against them.

mod lines;
mod packed;

use std::path::Path;

use serde_json::Value;

use self::packed::Packed;
use crate::outcome::Outcome;

/// All schemas, compressed.
const PACKED: &[u8] = include_bytes!("../schemas.deflate");

pub(crate) use lines::faults_of;

/// Returns the schema with this name, which is the name of its file without the extensions. The schema for code
/// generation, `codegen/claw`, has the name `codegen`.
fn schema(name: &str) -> Value {
    let named = |path: &str| path.split(['.', '/']).next() == Some(name);
    let packed = Packed::unpack(PACKED).ok();
    packed
        .and_then(|mut packed| packed.take(named))
        .unwrap_or_default()
}

/// Prints the schema with this name, or checks a file of lines against it.
pub(crate) fn run(name: &str, check: Option<&Path>) -> Outcome {
    match check {
        Some(file) => lines::check(name, file),
        None => lines::print(name),
    }
}
