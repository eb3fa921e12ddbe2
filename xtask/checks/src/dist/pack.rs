//! Packs a folder into an archive.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};
use xtask::run::Result;

/// The name of the folders with programs. All files in them become executable.
const PROGRAMS: &str = "bin";

/// Packs the subfolder `name` of `folder`. The same files always result in an identical archive, regardless of the time
/// and the user.
pub(super) fn pack(folder: &Path, name: &str) -> Result<PathBuf> {
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
