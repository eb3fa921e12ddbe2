//! The formula for Homebrew. It installs an archive of the release.

use std::fmt::Write as _;

use xtask::run::Result;

use super::{COMMAND, Release, Target, archive, checksums};

/// Returns the formula for the archives of these targets.
///
/// # Errors
/// Fails if an archive is missing.
pub(super) fn text(release: &Release<'_>, targets: &[&Target]) -> Result<String> {
    let Release {
        name,
        version,
        description,
        repository,
        license,
        ..
    } = release;
    let licences: Vec<_> = license
        .split(" OR ")
        .map(|name| format!("\"{name}\""))
        .collect();
    let licences = licences.join(", ");
    let class: String = name.split('-').map(capitalized).collect();
    let mut systems = String::new();
    for (method, system) in [("on_macos", "darwin"), ("on_linux", "linux")] {
        let mut of_system = String::new();
        for target in targets.iter().filter(|target| target.node.0 == system) {
            let method = if target.node.1 == "arm64" {
                "on_arm"
            } else {
                "on_intel"
            };
            let file = release.archive(target);
            let sha256 =
                checksums::of(&file).map_err(|error| format!("{}: {error}", file.display()))?;
            let archive = archive(version, target);
            writeln!(
                of_system,
                "    {method} do\n      url \"{repository}/releases/download/v{version}/{archive}.tar.gz\"\n      \
                 sha256 \"{sha256}\"\n    end"
            )?;
        }
        if !of_system.is_empty() {
            writeln!(systems, "\n  {method} do\n{of_system}  end")?;
        }
    }
    Ok(format!(
        "class {class} < Formula\n  desc \"{description}\"\n  homepage \"{repository}\"\n  version \"{version}\"\n  \
         license any_of: [{licences}]\n{systems}\n  def install\n    bin.install \"bin/{COMMAND}\"\n    \
         bash_completion.install \"share/bash-completion/completions/claw\"\n    \
         fish_completion.install \"share/fish/vendor_completions.d/claw.fish\"\n    \
         zsh_completion.install \"share/zsh/site-functions/_claw\"\n    man1.install Dir[\"share/man/man1/*\"]\n    \
         doc.install Dir[\"share/doc/{COMMAND}/*\"]\n  end\n\n  test do\n    \
         assert_match version.to_s, shell_output(\"#{{bin}}/{COMMAND} --version\")\n  end\nend\n"
    ))
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
