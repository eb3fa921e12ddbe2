//! The list of what an executable is made of, for tools that look for known vulnerabilities: `CycloneDX`, as JSON.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use toml_edit::DocumentMut;

use super::parts::Part;
use crate::release::plan::published;
use xtask::run::Result;

/// What the name of such a file ends with, behind that of the archive.
pub(super) const ENDING: &str = ".cdx.json";

/// What is described: an archive.
pub(super) struct Product<'a> {
    /// The crate of the command, as it is called in the project.
    pub(super) name: &'a str,
    /// What the names of ours begin with in a registry.
    pub(super) prefix: &'a str,
    pub(super) repository: &'a str,
    /// The file.
    pub(super) archive: &'a str,
    pub(super) sha256: &'a str,
}

/// The checksums of packages, by name and version, out of the lock file.
pub(super) fn checksums(root: &Path) -> Result<BTreeMap<String, String>> {
    let lock: DocumentMut = fs::read_to_string(root.join("Cargo.lock"))?.parse()?;
    let packages = lock["package"]
        .as_array_of_tables()
        .ok_or("Cargo.lock has no packages")?;
    Ok(packages
        .iter()
        .filter_map(|package| {
            let text = |key: &str| package.get(key)?.as_str();
            let name = format!("{} {}", text("name")?, text("version")?);
            Some((name, text("checksum")?.to_owned()))
        })
        .collect())
}

/// Returns the list of parts as `CycloneDX` JSON. The list has no date and no random serial number, so equal archives have
/// equal lists.
///
/// # Errors
/// When the product is none of its parts.
pub(super) fn document(
    product: &Product<'_>,
    parts: &[Part],
    checksums: &BTreeMap<String, String>,
) -> Result<Value> {
    let (mut itself, mut components) = (None, Vec::new());
    for part in parts {
        let mut component = component(part, product.prefix, checksums);
        if part.name == product.name {
            component["type"] = json!("application");
            component["hashes"] = json!([{ "alg": "SHA-256", "content": product.sha256 }]);
            component["externalReferences"] = json!([{ "type": "vcs", "url": product.repository }]);
            component["properties"] = json!([{ "name": "archive", "value": product.archive }]);
            itself = Some(component);
        } else {
            components.push(component);
        }
    }
    let itself = itself.ok_or_else(|| format!("{} is not in it", product.name))?;
    Ok(json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": { "component": itself },
        "components": components,
    }))
}

fn component(part: &Part, prefix: &str, checksums: &BTreeMap<String, String>) -> Value {
    let name = if part.source.is_none() {
        published(prefix, &part.name)
    } else {
        part.name.clone()
    };
    let purl = purl(&name, &part.version);
    let mut component = json!({
        "type": "library", "bom-ref": purl, "name": name, "version": part.version, "purl": purl,
    });
    if let Some(license) = &part.license {
        component["licenses"] = json!([{ "expression": expression(license) }]);
    }
    if let Some(sha256) = checksums.get(&part.title()) {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": sha256 }]);
    }
    component
}

/// The address of a package in Rust's registry.
fn purl(name: &str, version: &str) -> String {
    // Of what a version may have, `+` alone has a meaning there.
    format!("pkg:cargo/{name}@{}", version.replace('+', "%2B"))
}

/// Older manifests separate licences by a slash.
fn expression(license: &str) -> String {
    let names: Vec<_> = license.split('/').map(str::trim).collect();
    names.join(" OR ")
}
