//! What a person does to upload: the script that they run, and a rehearsal of it with a registry on loopback.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use super::plan::Plan;
use xtask::run::{Result, run};

/// The script that uploads the packages, beside the folder `stage`.
const SCRIPT: &str = "upload.sh";
/// The names that it uploads, beside it.
const ORDER: &str = "order";
const REGISTRY: &str = include_str!("upload/registry.py");

/// New names that a registry takes at once from one account.
const BURST: usize = 5;
/// Seconds after which it takes one more. Outside of the rehearsal it is ten minutes.
const PAUSE: &str = "1";

/// What the registry prints of an upload that it refuses for the limit.
const LIMITED: &str = "429 ";

/// Writes the script and what it uploads, in this order.
pub(super) fn write(plan: &Plan, folder: &Path) -> Result {
    let names = plan.crates.iter().map(|it| it.published.clone() + "\n");
    fs::write(folder.join(ORDER), names.collect::<String>())?;
    fs::write(folder.join(SCRIPT), include_str!("upload/upload.sh"))?;
    Ok(())
}

/// Runs the script against a registry on loopback with the limit of new names, and once more, when all is there.
///
/// # Errors
/// When there is nothing to upload, python3 is missing, the limit was not met, or something was not uploaded in its turn.
pub(super) fn rehearse(plan: &Plan, folder: &Path, packages: &Path) -> Result {
    if !folder.join(SCRIPT).is_file() || !packages.join("index").is_dir() {
        return Err(
            "there is nothing to upload: run the steps `package` and `registry` first".into(),
        );
    }
    let names: Vec<_> = plan.crates.iter().map(|it| &*it.published).collect();
    let mut python = Command::new("python3");
    python.args(["-c", REGISTRY]).arg(packages);
    python.args([&names.join(","), &BURST.to_string(), PAUSE]);
    let piped = python.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut server = piped.map_err(|error| format!("python3: {error}"))?;
    let output = server.stdout.take().ok_or("the registry has no output")?;
    let mut said = BufReader::new(output).lines();
    let port = said.next().ok_or("the registry does not start")??;
    // Its own: without logins, and what it keeps of the registry goes with it.
    let home = tempfile::tempdir()?;
    let upload = || {
        let mut script = Command::new("sh");
        script
            .arg(folder.join(SCRIPT))
            .args(["--registry", "rehearsal"]);
        for config in [
            format!("registries.rehearsal.index='sparse+http://127.0.0.1:{port}/index/'"),
            "source.crates-io.replace-with='rehearsal'".to_owned(),
        ] {
            script.args(["--config", &config]);
        }
        script.env("CARGO_HOME", home.path());
        script.env("CARGO_REGISTRIES_REHEARSAL_TOKEN", "made-up");
        script.env("CARGO_TARGET_DIR", folder.join("target"));
        script.env("UPLOAD_PAUSE", PAUSE);
        run(&mut script)
    };
    let uploaded = upload().and_then(|()| upload());
    // It ends with its input.
    drop(server.stdin.take());
    server.wait()?;
    uploaded?;
    let (limited, taken): (Vec<_>, Vec<_>) = said
        .collect::<std::io::Result<Vec<_>>>()?
        .into_iter()
        .partition(|line| line.starts_with(LIMITED));
    if taken != names {
        return Err(format!("{taken:?} were uploaded, not {names:?}").into());
    }
    let refused: Vec<_> = limited
        .iter()
        .filter_map(|line| line.strip_prefix(LIMITED))
        .collect();
    let expected = names.get(BURST..).unwrap_or_default();
    if refused != expected {
        return Err(format!("{refused:?} had to wait, not {expected:?}").into());
    }
    println!(
        "{} uploaded, each once; {} had to wait for the limit of new names",
        taken.len(),
        refused.len()
    );
    Ok(())
}

#[cfg(all(test, unix))]
mod tests;
