//! The script that a person runs to upload the packages.

use std::fs;
use std::path::Path;

use super::plan::Plan;
use xtask::run::Result;

/// The name of the script that uploads the packages. It is beside the folder `stage`.
const SCRIPT: &str = "upload.sh";
/// The name of the file beside the script that lists the packages to upload.
const ORDER: &str = "order";

/// Writes the script, and the list of the packages in the order of publication.
pub(super) fn write(plan: &Plan, folder: &Path) -> Result {
    let names = plan.crates.iter().map(|it| it.published.clone() + "\n");
    fs::write(folder.join(ORDER), names.collect::<String>())?;
    fs::write(folder.join(SCRIPT), include_str!("upload/upload.sh"))?;
    Ok(())
}

#[cfg(all(test, unix))]
mod tests;
