//! The JSON Schemas in the executable: `schemas.deflate`, which `cargo xtask schema write` makes of the files in
//! `schemas/`.
//!
//! The file is a compressed JSON object. `files` has each schema by its path, without its definitions. `definitions`
//! has them by their name, and then by the path of the schema: the definitions of one name, which differ little between
//! the schemas, are next to each other and so compress well.

use std::io::Read as _;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The keyword of a schema whose value is its definitions.
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

    /// Removes the first schema with an accepted path, and returns it with its definitions.
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
