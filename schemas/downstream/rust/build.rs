//! Generates the types with typify.

use std::error::Error;
use std::path::Path;
use std::{env, fs};

use schemars::schema::RootSchema;
use typify::{TypeSpace, TypeSpaceSettings};

const SCHEMA: &str = "../../codegen/claw.schema.json";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={SCHEMA}");
    let schema: RootSchema = serde_json::from_str(&fs::read_to_string(SCHEMA)?)?;
    let mut types = TypeSpace::new(&TypeSpaceSettings::default());
    types.add_root_schema(schema)?;
    let code = prettyplease::unparse(&syn::parse2(types.to_stream())?);
    fs::write(Path::new(&env::var("OUT_DIR")?).join("claw.rs"), code)?;
    Ok(())
}
