//! Decides how changed files are named, and which of them may be read.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use claw_view::diff::Contents;
use claw_view::real_path::{is_missing, real_or_missing};

use crate::Project;
use crate::within;

/// Maximum size of a file that is read, in bytes.
const LARGEST_READ: u64 = 4 << 20;

/// The folder of a project, and the folder in which a session of the project works.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// The folder of the project, absolute and without symbolic links. Files outside of it are not read.
    project: PathBuf,
    /// The folder in which the session works: the project's folder, or a worktree.
    folder: PathBuf,
}

impl Place {
    pub(crate) fn new(project: &Path, folder: &Path) -> Self {
        Self {
            project: project.to_owned(),
            folder: folder.to_owned(),
        }
    }

    /// Creates the place of a session that works in the project's folder.
    pub(crate) fn of_project(project: &Project) -> Self {
        Self::new(&project.folder, &project.folder)
    }

    /// Returns the folder in which the session works.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the displayed name of a file. The name is relative to the session's folder or to the project's folder,
    /// and absolute if the file is in neither.
    pub(crate) fn name(&self, path: &Path) -> String {
        let mut folders = [&self.folder, &self.project].into_iter();
        let inside = folders.find_map(|folder| path.strip_prefix(folder).ok());
        let Some(inside) = inside.filter(|inside| !inside.as_os_str().is_empty()) else {
            return path.display().to_string();
        };
        let parts = inside.iter().map(|part| part.to_string_lossy());
        parts.collect::<Vec<_>>().join("/")
    }

    /// Whether a file is in the folder of the project. Symbolic links are followed first.
    pub(crate) fn contains(&self, path: &Path) -> bool {
        self.real(path).is_some()
    }

    /// Returns the current contents of a file. The contents are unknown if the file is outside of the project, too
    /// long, or not a text. Blocks.
    pub(crate) fn now(&self, path: &Path) -> Contents {
        let Some(real) = self.real(path) else {
            return Contents::Unknown;
        };
        let Ok(inside) = real.strip_prefix(&self.project) else {
            return Contents::Unknown;
        };
        // A process of the session may replace a folder of the path with a link now. So no link is followed any more.
        let contents = || -> io::Result<Vec<u8>> {
            let mut bytes = Vec::new();
            let file = within::open(&self.project, inside)?;
            file.take(LARGEST_READ + 1).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        match contents() {
            Ok(bytes) if bytes.len() as u64 <= LARGEST_READ => {
                String::from_utf8(bytes).map_or(Contents::Unknown, Contents::of)
            }
            Err(error) if is_missing(error.kind()) => Contents::Missing,
            _ => Contents::Unknown,
        }
    }

    /// Returns the path without symbolic links. Returns `None` if it is outside of the project's folder. The file
    /// itself may be missing.
    fn real(&self, path: &Path) -> Option<PathBuf> {
        real_or_missing(path).filter(|real| real.starts_with(&self.project))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn place() -> (tempfile::TempDir, Place, PathBuf) {
        let root = tempfile::tempdir().unwrap();
        let real = root.path().canonicalize().unwrap();
        let project = real.join("shop");
        fs::create_dir_all(project.join("src")).unwrap();
        fs::create_dir(real.join("other")).unwrap();
        fs::write(project.join("src/a.txt"), "a\n").unwrap();
        fs::write(real.join("other/password"), "secret").unwrap();
        let place = Place::new(&project, &project);
        (root, place, real)
    }

    #[test]
    fn files_of_the_project_are_read_and_no_others() {
        let (_root, place, real) = place();
        let shop = real.join("shop");
        assert_eq!(place.now(&shop.join("src/a.txt")), Contents::of("a\n"));
        assert_eq!(place.now(&shop.join("src/none.txt")), Contents::Missing);
        assert_eq!(place.now(&shop.join("gone/none.txt")), Contents::Missing);
        fs::write(shop.join("binary"), b"\xff\0").unwrap();
        for unread in [
            shop.join("src"),
            shop.join("binary"),
            real.join("other/password"),
            shop.join("../other/password"),
            shop.join("gone/../../other/password"),
            PathBuf::from("/etc/passwd"),
            PathBuf::from("src/a.txt"),
            PathBuf::from(""),
        ] {
            assert_eq!(place.now(&unread), Contents::Unknown, "{unread:?}");
        }
        let large = vec![b'a'; 4 << 20];
        fs::write(shop.join("large"), &large).unwrap();
        assert!(matches!(place.now(&shop.join("large")), Contents::Text(_)));
        fs::write(shop.join("large"), [&*large, b"a"].concat()).unwrap();
        assert_eq!(place.now(&shop.join("large")), Contents::Unknown);
    }

    #[cfg(unix)]
    #[test]
    fn no_link_leads_out_of_the_project() {
        use std::os::unix::fs::symlink;
        let (_root, place, real) = place();
        let shop = real.join("shop");
        symlink(real.join("other"), shop.join("out")).unwrap();
        symlink(real.join("other/password"), shop.join("password")).unwrap();
        symlink(real.join("other/none"), shop.join("dangling")).unwrap();
        symlink("src/a.txt", shop.join("inside")).unwrap();
        for out in ["out/password", "password", "dangling", "out/none"] {
            let path = shop.join(out);
            assert!(!place.contains(&path), "{out}");
            assert_eq!(place.now(&path), Contents::Unknown, "{out}");
        }
        assert_eq!(place.now(&shop.join("inside")), Contents::of("a\n"));
    }

    /// A process of the session exchanges a folder with a link again and again, also between the check and the read.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_link_that_comes_during_a_read_is_not_followed() {
        use std::os::unix::fs::symlink;
        use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

        use rustix::fs::{CWD, RenameFlags, renameat_with};

        let (_root, place, real) = place();
        let shop = real.join("shop");
        fs::write(shop.join("src/password"), "own").unwrap();
        symlink(real.join("other"), shop.join("out")).unwrap();
        let has_ended = AtomicBool::new(false);
        let (own, others) = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !has_ended.load(Relaxed) {
                    let [one, two] = ["src", "out"].map(|name| shop.join(name));
                    renameat_with(CWD, one, CWD, two, RenameFlags::EXCHANGE).unwrap();
                }
            });
            let (mut own, mut others) = (0, 0);
            for _ in 0..20_000 {
                let now = place.now(&shop.join("src/password"));
                own += usize::from(now == Contents::of("own"));
                others += usize::from(now == Contents::of("secret"));
            }
            has_ended.store(true, Relaxed);
            (own, others)
        });
        assert_eq!(others, 0);
        assert!(own > 0);
    }

    #[test]
    fn names_are_relative_inside_of_the_project_alone() {
        let project = Path::new("/work/project");
        let tree = project.join(".claude/worktrees/a");
        let place = Place::new(project, &tree);
        assert_eq!(place.name(&tree.join("src/a.txt")), "src/a.txt");
        assert_eq!(place.name(&project.join("b.txt")), "b.txt");
        assert_eq!(place.name(Path::new("/etc/passwd")), "/etc/passwd");
        assert_eq!(place.name(project), "/work/project");
    }
}
