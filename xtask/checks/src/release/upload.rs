//! The script that a person runs to upload the packages.

use std::fs;
use std::path::Path;

use super::plan::Plan;
use xtask::run::Result;

/// The script that uploads the packages, beside the folder `stage`.
const SCRIPT: &str = "upload.sh";
/// The file beside it with the names that it uploads.
const ORDER: &str = "order";

/// Writes the script and the names, in this order.
pub(super) fn write(plan: &Plan, folder: &Path) -> Result {
    let names = plan.crates.iter().map(|it| it.published.clone() + "\n");
    fs::write(folder.join(ORDER), names.collect::<String>())?;
    fs::write(folder.join(SCRIPT), include_str!("upload/upload.sh"))?;
    Ok(())
}

#[cfg(all(test, unix))]
mod tests;
