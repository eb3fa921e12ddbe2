//! A name for the project of a directory that is the same on every machine.

use std::path::Path;
use std::process::Command;

use crate::real_path;
use crate::worktrees::{PATIENCE, git, output};

/// Returns a name for the project of a directory. On other machines, the same project has the same name:
///
/// - in a git repository with a remote: the address of the remote without user, password and `.git`, such as
///   `github.com/user/sums`. For a directory below the top directory of the repository, `#` and its path follow:
///   `github.com/user/sums#docs`. The remote is `origin`, or the only one.
/// - otherwise: the name of the directory, such as `sums`. This name has no `/`, so it is not the address of a remote.
///
/// The directory need not exist. The call starts git, and waits at most five seconds for each of four commands.
pub fn shared_project_name(directory: &Path) -> String {
    let real = real_path(directory).unwrap_or_else(|_| directory.to_owned());
    if let Some(remote) = remote(&real).as_deref().and_then(address) {
        let below = run(&real, &["rev-parse", "--show-prefix"]).unwrap_or_default();
        let below = below.trim_end_matches('/');
        return if below.is_empty() {
            remote
        } else {
            format!("{remote}#{below}")
        };
    }
    let name = real.file_name().map(|name| name.to_string_lossy());
    let name = name.unwrap_or_else(|| "root".into());
    // A key of a store has no control characters, so `-` replaces them.
    name.replace(char::is_control, "-")
}

fn remote(directory: &Path) -> Option<String> {
    let url = |name: &str| run(directory, &["remote", "get-url", "--", name]);
    url("origin").or_else(|| {
        let names = run(directory, &["remote"])?;
        let mut names = names.lines();
        let only = names.next()?;
        names.next().is_none().then(|| url(only))?
    })
}

/// Returns the output of git without the last line end.
fn run(directory: &Path, arguments: &[&str]) -> Option<String> {
    let mut git: Command = git(directory);
    git.args(arguments);
    let text = String::from_utf8(output(git, PATIENCE)?).ok()?;
    Some(text.trim_end_matches(['\n', '\r']).to_owned())
}

/// Returns the address of a remote without the parts that differ between machines, and without secrets.
fn address(url: &str) -> Option<String> {
    let (authority, path) = match url.split_once("://") {
        Some(("file", path)) => ("", path),
        Some((scheme, rest)) => {
            let rest = rest.split(['?', '#']).next()?;
            let (authority, path) = rest.split_once('/')?;
            let port = match scheme {
                "ssh" | "git+ssh" => ":22",
                "https" => ":443",
                "http" => ":80",
                _ => ":9418",
            };
            let host = authority.rsplit('@').next()?;
            (host.strip_suffix(port).unwrap_or(host), path)
        }
        // A path may contain a colon after a slash, and begins with a drive on Windows.
        None => match url.split_once(':') {
            Some((host, path)) if host.len() > 1 && !host.contains(['/', '\\']) => {
                (host.rsplit('@').next()?, path)
            }
            _ if Path::new(url).is_absolute() => ("", url),
            _ => return None,
        },
    };
    let path = path.trim_end_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    let path = path.trim_matches('/');
    let address = format!("{}/{path}", authority.to_lowercase());
    // A key of a store has no control characters and at most 1,024 bytes.
    let is_key = !path.is_empty() && address.len() <= 512 && !address.contains(char::is_control);
    is_key.then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_neither_a_user_nor_a_scheme() {
        for url in [
            "git@github.com:user/sums.git",
            "ssh://git@GitHub.com/user/sums",
            "ssh://git@github.com:22/user/sums.git/",
            "https://user:secret@github.com/user/sums.git?token=secret",
            "git://github.com:9418/user/sums",
            "github.com:/user/sums",
        ] {
            assert_eq!(
                address(url).as_deref(),
                Some("github.com/user/sums"),
                "{url}"
            );
        }
        let port = address("https://a:b@c@host:8443/x");
        assert_eq!(port.as_deref(), Some("host:8443/x"));
        assert_eq!(address("file:///srv/a.git").as_deref(), Some("/srv/a"));
        for url in ["../sums", "", "https://host", "https://host/", "host:"] {
            assert_eq!(address(url), None, "{url}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_path_is_the_address_of_a_remote_in_a_folder() {
        assert_eq!(address("/srv/a:b/c.git").as_deref(), Some("/srv/a:b/c"));
    }

    #[test]
    fn a_project_is_named_by_its_remote_or_else_by_its_directory() {
        let folder = tempfile::tempdir().unwrap();
        let sums = folder.path().join("sums");
        std::fs::create_dir_all(sums.join("docs")).unwrap();
        assert_eq!(shared_project_name(&sums), "sums");
        assert_eq!(shared_project_name(&folder.path().join("gone/x\ny")), "x-y");
        let git = |arguments: &[&str]| {
            let mut git = git(&sums);
            output(
                {
                    git.args(arguments);
                    git
                },
                PATIENCE,
            )
            .unwrap();
        };
        git(&["init", "-q"]);
        assert_eq!(shared_project_name(&sums), "sums");
        git(&["remote", "add", "upstream", "git@github.com:user/sums.git"]);
        assert_eq!(shared_project_name(&sums), "github.com/user/sums");
        git(&["remote", "add", "fork", "git@github.com:other/sums.git"]);
        assert_eq!(shared_project_name(&sums), "sums");
        git(&[
            "remote",
            "add",
            "origin",
            "https://u:secret@github.com/user/more",
        ]);
        assert_eq!(shared_project_name(&sums), "github.com/user/more");
        assert_eq!(
            shared_project_name(&sums.join("docs")),
            "github.com/user/more#docs"
        );
    }
}
