//! Makes packages for Debian and Ubuntu, one for each architecture. They depend on no other package, because the
//! executable is static.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::run::{Result, run};

use super::{COMMAND, Release, Target, copy, reproducible, write};

/// Makes the package of a target.
pub(super) fn make(release: &Release<'_>, target: &Target, unpacked: &Path) -> Result<PathBuf> {
    let Release { name, version, .. } = release;
    let architecture = target.debian;
    let stem = format!("{name}_{version}-1_{architecture}");
    let folder = unpacked.with_file_name(&stem);
    let (usr, documents) = (folder.join("usr"), folder.join("usr/share/doc").join(name));
    let executable = usr.join("bin").join(COMMAND);
    copy(&unpacked.join("bin").join(COMMAND), &executable)?;
    for place in [
        "bash-completion/completions/claw",
        "fish/vendor_completions.d/claw.fish",
    ] {
        let place = Path::new("share").join(place);
        copy(&unpacked.join(&place), &usr.join(&place))?;
    }
    let zsh = "share/zsh/vendor-completions/_claw";
    copy(
        &unpacked.join("share/zsh/site-functions/_claw"),
        &usr.join(zsh),
    )?;
    for page in fs::read_dir(unpacked.join("share/man/man1"))? {
        let page = page?;
        let to = usr.join("share/man/man1").join(page.file_name());
        copy(&page.path(), &to)?;
        run(Command::new("gzip").args(["--best", "--no-name"]).arg(to))?;
    }
    super::copy_licences(unpacked, &documents)?;
    let kilobytes = fs::metadata(&executable)?.len().div_ceil(1024);
    write(
        &folder,
        &[
            ("DEBIAN/control", &control(release, target, kilobytes)),
            (
                &format!("usr/share/doc/{name}/copyright"),
                &copyright(release),
            ),
        ],
    )?;
    set_modes(&folder)?;
    let package = release.folder.join("debian").join(format!("{stem}.deb"));
    let mut pack = reproducible("dpkg-deb");
    pack.args(["--root-owner-group", "--build"]);
    run(pack.arg(&folder).arg(&package))
        .map_err(|error| format!("{error} (Debian's package dpkg has dpkg-deb)"))?;
    Ok(package)
}

/// Sets the file modes. Otherwise, they would depend on the umask of the person who makes the package.
fn set_modes(path: &Path) -> Result {
    let is_folder = path.is_dir();
    let is_program = path
        .parent()
        .is_some_and(|folder| folder.ends_with("usr/bin"));
    let mode = if is_folder || is_program {
        0o755
    } else {
        0o644
    };
    #[cfg(unix)]
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode))?;
    #[cfg(not(unix))]
    return Err(format!("packages for Debian are made on Linux: {mode:o}").into());
    if is_folder {
        for entry in fs::read_dir(path)? {
            set_modes(&entry?.path())?;
        }
    }
    Ok(())
}

pub(super) fn control(release: &Release<'_>, target: &Target, kilobytes: u64) -> String {
    let Release {
        name,
        version,
        description,
        repository,
        ..
    } = release;
    format!(
        "Package: {name}\nVersion: {version}-1\nArchitecture: {}\nMaintainer: claw <{repository}/issues>\nInstalled-Size: {kilobytes}\n\
         Section: devel\nPriority: optional\nHomepage: {repository}\nDescription: {description}\n \
         The command {COMMAND}, as one static executable, with completions for shells and\n manual pages. Most of its \
         commands need Claude Code (claude), which is not part\n of this package.\n",
        target.debian
    )
}

fn copyright(release: &Release<'_>) -> String {
    format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: {COMMAND}\nSource: {}\n\n\
         Files: *\nCopyright: the authors of {COMMAND}\nLicense: Apache-2.0 or Expat\n The files LICENSE-APACHE and LICENSE-MIT beside \
         this one are the licences of {COMMAND}.\n THIRD-PARTY.txt has those of all crates in the executable.\n",
        release.repository
    )
}
