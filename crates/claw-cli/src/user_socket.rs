//! The socket between `claw serve` and other commands of the same user.

use std::path::{Path, PathBuf};

/// Returns the paths at which a server's socket may be. A server uses the first path. `config_dir` is the configuration
/// folder of `claude`.
pub(crate) fn paths(config_dir: &Path) -> Vec<PathBuf> {
    candidates(
        std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from),
        config_dir,
    )
}

fn candidates(runtime: Option<PathBuf>, config_dir: &Path) -> Vec<PathBuf> {
    // The XDG specification requires that a relative path is ignored.
    let runtime = runtime.filter(|folder| folder.is_absolute());
    let runtime = runtime.map(|folder| folder.join("claw/serve.sock"));
    let of_config = config_dir.join("claw/run/serve.sock");
    runtime.into_iter().chain([of_config]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runtime_folder_is_first_unless_it_is_relative_or_missing() {
        let config = Path::new("/home/user/.claude");
        let of_config = PathBuf::from("/home/user/.claude/claw/run/serve.sock");
        let runtime = PathBuf::from("/run/user/1000/claw/serve.sock");
        let both = candidates(Some("/run/user/1000".into()), config);
        assert_eq!(both, [runtime, of_config.clone()]);
        for none in [None, Some(PathBuf::new()), Some("run".into())] {
            let only = std::slice::from_ref(&of_config);
            assert_eq!(candidates(none, config), only);
        }
    }
}
