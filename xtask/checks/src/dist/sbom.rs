//! Makes the list of an executable's parts, in the form of `CycloneDX` as JSON. Tools use it to search for known
//! vulnerabilities.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use toml_edit::DocumentMut;

use super::parts::Part;
use crate::release::plan::published;
use xtask::run::Result;

/// The extension of the file's name. It follows the name of the archive.
pub(super) const ENDING: &str = ".cdx.json";

/// The described product: an archive.
pub(super) struct Product<'a> {
    /// The name of the command's crate in the project.
    pub(super) name: &'a str,
    /// The prefix of the project's crates in a registry.
    pub(super) prefix: &'a str,
    pub(super) repository: &'a str,
    /// The name of the archive file.
    pub(super) archive: &'a str,
    pub(super) sha256: &'a str,
}

/// Returns the checksums of packages from the lock file. The keys are the names and the versions.
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
/// Fails if the product is not one of the parts.
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

/// Returns the package URL of a package in Rust's registry.
fn purl(name: &str, version: &str) -> String {
    // `+` is the only character in a version that has a special meaning in a package URL.
    format!("pkg:cargo/{name}@{}", version.replace('+', "%2B"))
}

/// Converts a list of licences that is separated by slashes, as in older manifests.
fn expression(license: &str) -> String {
    let names: Vec<_> = license.split('/').map(str::trim).collect();
    names.join(" OR ")
}
