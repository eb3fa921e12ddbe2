//! The JSON Schemas in the executable. They are in the file `schemas.deflate`, which `cargo xtask schema write` creates
//! from the files in `schemas/`.
//!
//! The file is a compressed JSON object. The keys of `files` are the paths of the schemas, and the values are the
//! schemas without their definitions. The keys of `definitions` are the names of definitions, and in each value the
//! keys are the paths of schemas. Definitions with the same name differ little between the schemas. They are next to
//! each other in the file, so they compress well.

use std::io::Read as _;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The keyword for the definitions of a schema.
pub(crate) const DEFINITIONS: &str = "$defs";

/// All schemas.
#[derive(Deserialize, Serialize)]
pub(crate) struct Packed {
    pub(crate) definitions: Map<String, Value>,
    pub(crate) files: Map<String, Value>,
}

impl Packed {
    /// Decompresses the schemas.
    pub(crate) fn unpack(bytes: &[u8]) -> Result<Self, Box<dyn std::error::Error>> {
        let mut text = String::new();
        flate2::read::DeflateDecoder::new(bytes).read_to_string(&mut text)?;
        Ok(serde_json::from_str(&text)?)
    }

    /// Removes the first schema whose path is accepted, and returns it with its definitions.
    pub(crate) fn take(&mut self, accept: impl Fn(&str) -> bool) -> Option<Value> {
        let path = self.files.keys().find(|path| accept(path))?.clone();
        let mut schema = self.files.remove(&path)?;
        let definitions: Map<_, _> = self
            .definitions
            .iter_mut()
            .filter_map(|(name, of)| Some((name.clone(), of.get_mut(&path)?.take())))
            .collect();
        if let (Some(object), false) = (schema.as_object_mut(), definitions.is_empty()) {
            object.insert(DEFINITIONS.to_owned(), definitions.into());
        }
        Some(schema)
    }
}
