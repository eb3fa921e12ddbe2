//! `cargo xtask dist`: builds archives of the `claw` command, one for each target. Also makes the packages that install
//! the command, and its entry in the registry of agents.
//!
//! The executable is stripped, and static on Linux (musl). The archive also contains shell completions, man pages, and
//! the licences of all parts of the executable. A list of these parts, in the form of `CycloneDX`, is a separate file
//! beside the archive.

use std::env;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use clap_complete::Shell;
use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

use crate::release::plan;
use xtask::run::{Result, cargo, read, run};
use xtask::toolchains;
use xtask::workspace::{Package, Workspace};

#[path = "../../../crates/claw-cli/src/args.rs"]
mod args;
pub(crate) mod checksums;
mod entry;
pub(crate) mod installers;
mod notices;
mod parts;
mod sbom;
mod targets;

use self::targets::{REHEARSED, TARGETS, Target};

/// The crate of the command.
const CRATE: &str = "claw-cli";
const COMMAND: &str = "claw";
/// The feature that enables all other features.
const FEATURES: &str = "--features=full";

/// The script that installs the command from a release.
const INSTALLER: &str = "docs/install.sh";

/// The name of the folders with programs. All files in them become executable.
const PROGRAMS: &str = "bin";

/// The number of starts from which the start time of the command is measured.
const STARTS: usize = 50;

/// The command line of `cargo xtask dist`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Build only for these targets. Default: all targets of a release that this system builds.
    #[arg(
        value_name = "TARGET",
        value_parser = clap::builder::PossibleValuesParser::new(TARGETS.iter().chain(&REHEARSED).map(|target| target.triple)),
    )]
    targets: Vec<String>,
    /// Build nothing. Write the other files of a release, which belong to the archives of all targets: their checksums,
    /// the installer, the packages for npm, pip and dpkg, the formula for Homebrew, and the entry in the registry of agents.
    #[arg(long, conflicts_with = "targets")]
    index: bool,
}

/// Returns the name of an archive without its extension. The folder in the archive has the same name.
fn archive(version: &str, target: &Target) -> String {
    format!("{COMMAND}-{version}-{}", target.triple)
}

/// Builds the archives in the target folder, and prints sizes and start times. With `--index`, writes the other files
/// of a release instead.
pub(crate) fn main(args: &Args) -> Result {
    let workspace = Workspace::read()?;
    let package = command(&workspace)?;
    let folder = folder(&workspace);
    if args.index {
        return index(&workspace, package, &folder);
    }
    let mut rows = Vec::new();
    for target in TARGETS.iter().chain(&REHEARSED) {
        let is_named = args.targets.iter().any(|named| named == target.triple);
        if is_named && !target.is_built_here() {
            return Err(format!("{} is built on {}", target.triple, target.host).into());
        }
        if is_named
            || (args.targets.is_empty() && target.is_in_a_release() && target.is_built_here())
        {
            let (executable, archive) = make(&workspace, package, target, &folder)?;
            let start = target
                .is_of_this_machine()
                .then(|| start(&executable))
                .transpose()?;
            let triple = target.triple;
            rows.push(format!(
                "{triple:<28} {:>13.1} {:>10.1} {:>9}",
                megabytes(&executable)?,
                megabytes(&archive)?,
                start.map_or_else(
                    || "-".to_owned(),
                    |it| format!("{:.1}", it.as_secs_f64() * 1000.0)
                ),
            ));
        }
    }
    println!(
        "\n{:<28} {:>13} {:>10} {:>9}",
        "target", "executable MB", "archive MB", "start ms"
    );
    println!("{}", rows.join("\n"));
    println!(
        "start: the median of {STARTS} runs of `{COMMAND} --version`. All is in {}",
        folder.display()
    );
    Ok(())
}

/// Returns the package of the command.
fn command(workspace: &Workspace) -> Result<&Package> {
    let package = workspace.packages.iter().find(|it| it.name == CRATE);
    Ok(package.ok_or("the project has no claw-cli")?)
}

/// Returns the folder for the archives and the other files of a release.
fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target_directory.join("dist-archives")
}

/// Writes the files of a release that are made from the archives of all targets.
fn index(workspace: &Workspace, package: &Package, folder: &Path) -> Result {
    let release = entry::Release {
        version: &package.version,
        repository: package.repository.as_deref().unwrap_or_default(),
        license: package.license.as_deref().unwrap_or_default(),
    };
    let entry = entry::write(&release, folder)?;
    let release = installers::Release::new(workspace, package, folder)?;
    let targets: Vec<_> = TARGETS.iter().collect();
    release.make(workspace, &targets)?;
    checksums::write(folder, &installers::FOLDERS)?;
    fs::copy(workspace.root.join(INSTALLER), folder.join("install.sh"))?;
    println!("{}\n{}", folder.display(), entry.display());
    Ok(())
}

/// Builds the executable of a target and packs its archive. Returns the paths of both.
fn make(
    workspace: &Workspace,
    package: &Package,
    target: &Target,
    folder: &Path,
) -> Result<(PathBuf, PathBuf)> {
    let executable = build(workspace, target)?;
    let name = archive(&package.version, target);
    fill(workspace, &executable, target, &folder.join(&name))?;
    let archive = pack(folder, &name)?;
    list(workspace, package, target, &archive)?;
    Ok((executable, archive))
}

/// Writes a file beside the archive that lists the parts of the executable in the archive.
fn list(workspace: &Workspace, package: &Package, target: &Target, archive: &Path) -> Result {
    let product = sbom::Product {
        name: CRATE,
        prefix: plan::prefix(workspace)?,
        repository: package.repository.as_deref().unwrap_or_default(),
        archive: &archive.file_name().unwrap_or_default().to_string_lossy(),
        sha256: &checksums::of(archive)?,
    };
    let parts = parts::parts(workspace, CRATE, target.triple)?;
    let document = sbom::document(&product, &parts, &sbom::checksums(&workspace.root)?)?;
    let name = self::archive(&package.version, target) + sbom::ENDING;
    let text = serde_json::to_string_pretty(&document)? + "\n";
    Ok(fs::write(archive.with_file_name(name), text)?)
}

fn build(workspace: &Workspace, target: &Target) -> Result<PathBuf> {
    let triple = target.triple;
    toolchains::add_target(triple)?;
    let mut build = cargo("build");
    build.current_dir(&workspace.root);
    build.args(["--locked", "--profile", "dist", "--target", triple]);
    build.args(["--package", CRATE, "--bin", COMMAND, FEATURES]);
    if target.is_musl() {
        // This linker comes with Rust and can link for both architectures.
        let of_target = triple.to_uppercase().replace('-', "_");
        build.env(format!("CARGO_TARGET_{of_target}_LINKER"), "rust-lld");
    }
    let mut flags = flags(&workspace.root)?;
    if target.is_musl() {
        // Generic code often compiles to identical instructions, and the first flag keeps only one copy of them. The
        // second flag compresses the list of addresses that are adjusted at the start, from 1 MB to 15 KB.
        flags += "\u{1f}-Clink-arg=--icf=all\u{1f}-Clink-arg=--pack-dyn-relocs=relr";
    }
    build.env("CARGO_ENCODED_RUSTFLAGS", flags);
    build.env("CARGO_INCREMENTAL", "0");
    run(&mut build)?;
    Ok(workspace
        .target_directory
        .join(triple)
        .join("dist")
        .join(target.executable(COMMAND)))
}

/// Returns compiler flags that remove the names of this machine's folders from the executable, so that builds on
/// different machines are identical.
fn flags(root: &Path) -> Result<String> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(env::home_dir()?.join(".cargo")));
    let home = home.ok_or("there is no home folder, and CARGO_HOME is not set")?;
    let remap = |from: &Path, to: &str| format!("--remap-path-prefix={}={to}", from.display());
    Ok([remap(&home, "/cargo"), remap(root, "/claw")].join("\u{1f}"))
}

/// Writes all files of an archive.
fn fill(workspace: &Workspace, executable: &Path, target: &Target, folder: &Path) -> Result {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let (bin, doc) = (folder.join("bin"), folder.join("share/doc").join(COMMAND));
    fs::create_dir_all(&bin)?;
    fs::create_dir_all(&doc)?;
    fs::copy(executable, bin.join(target.executable(COMMAND)))?;
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        fs::copy(workspace.root.join(name), doc.join(name))?;
    }
    notices::write(workspace, CRATE, target.triple, &doc)?;
    describe(folder)
}

/// Writes shell completions and man pages to the paths below a prefix, such as `/usr/local`, at which shells and `man`
/// search for them.
fn describe(folder: &Path) -> Result {
    let share = folder.join("share");
    for (shell, place) in [
        (Shell::Bash, "bash-completion/completions/claw"),
        (Shell::Fish, "fish/vendor_completions.d/claw.fish"),
        (Shell::PowerShell, "powershell/claw.ps1"),
        (Shell::Zsh, "zsh/site-functions/_claw"),
    ] {
        let file = share.join(place);
        fs::create_dir_all(file.parent().unwrap_or(&share))?;
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut args::command(), COMMAND, &mut script);
        fs::write(file, script)?;
    }
    let man = share.join("man/man1");
    fs::create_dir_all(&man)?;
    clap_mangen::generate_to(args::command(), &man)?;
    Ok(())
}

/// Packs the subfolder `name` of `folder`. The same files always result in an identical archive, regardless of the time
/// and the user.
fn pack(folder: &Path, name: &str) -> Result<PathBuf> {
    let archive = folder.join(format!("{name}.tar.gz"));
    let gzip = GzBuilder::new().mtime(0).operating_system(255);
    let mut tar = Builder::new(gzip.write(File::create(&archive)?, Compression::best()));
    add(&mut tar, &folder.join(name), name, false)?;
    tar.into_inner()?.finish()?.sync_all()?;
    Ok(archive)
}

/// Adds a file, or a folder with all its contents, to the archive under the given name.
fn add(tar: &mut Builder<impl Write>, path: &Path, name: &str, is_program: bool) -> Result {
    let mut header = Header::new_ustar();
    if !path.is_dir() {
        let file = File::open(path)?;
        header.set_entry_type(EntryType::Regular);
        header.set_size(file.metadata()?.len());
        header.set_mode(if is_program { 0o755 } else { 0o644 });
        tar.append_data(&mut header, name, file)?;
        return Ok(());
    }
    header.set_entry_type(EntryType::Directory);
    header.set_size(0);
    header.set_mode(0o755);
    tar.append_data(&mut header, format!("{name}/"), io::empty())?;
    let mut names: Vec<_> = fs::read_dir(path)?
        .map(|entry| Ok(entry?.file_name()))
        .collect::<Result<_>>()?;
    names.sort();
    let is_program = path.file_name().is_some_and(|folder| folder == PROGRAMS);
    for inner in names {
        let shown = inner.to_str().ok_or("a file's name is no text")?;
        add(
            tar,
            &path.join(&inner),
            &format!("{name}/{shown}"),
            is_program,
        )?;
    }
    Ok(())
}

/// Returns the median duration of a start and exit.
fn start(executable: &Path) -> Result<Duration> {
    let mut took = Vec::with_capacity(STARTS);
    for _ in 0..STARTS {
        let begun = Instant::now();
        read(
            Command::new(executable)
                .arg("--version")
                .stdin(Stdio::null()),
        )?;
        took.push(begun.elapsed());
    }
    took.sort_unstable();
    Ok(took[STARTS / 2])
}

#[expect(clippy::cast_precision_loss, reason = "printed with one digit")]
fn megabytes(file: &Path) -> Result<f64> {
    Ok(fs::metadata(file)?.len() as f64 / 1e6)
}

#[cfg(test)]
mod tests;
