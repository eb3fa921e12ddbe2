//! Files that come with a prompt and that the API does not accept as documents. The server writes them into the folder
//! in which the session runs, and names them in the prompt's text.

use std::io;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use claw_types::MessageUuid;

/// The folder of the files, relative to the session's folder.
const FOLDER: [&str; 2] = [".claude", "uploads"];
/// The name and the contents of the file that makes git ignore the folder.
const IGNORED: (&str, &str) = (".gitignore", "*\n");
/// Maximum length of the client's part of a file's name, in bytes. The name also contains the prompt's UUID and the ending of
/// the temporary file. Together they have fewer than 255 bytes, which is the maximum of most file systems.
const LONGEST_NAME: usize = 200;

/// The folders of a session.
#[derive(Debug)]
pub(super) struct Folders {
    /// The folder of the project. No symbolic link below it is followed.
    pub(super) project: PathBuf,
    /// The existing folder below which files are written.
    pub(super) files: PathBuf,
    /// The folder in which the CLI runs, to which the paths in prompts are relative.
    pub(super) working: PathBuf,
}

/// A file that comes with a prompt.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Upload {
    /// The name of the file on this machine. It begins with the digits of the prompt's UUID. So a prompt that is sent
    /// again writes to the same file, and other prompts write to other files.
    name: String,
    /// The bytes, in base64.
    data: String,
}

impl Upload {
    /// Creates a file of this prompt. `title` is the name of the file on the client.
    pub(super) fn new(prompt: &MessageUuid, index: usize, title: &str, data: String) -> Self {
        let prefix = prompt.as_str().replace('-', "");
        let number = match index {
            0 => String::new(),
            index => format!("-{}", index + 1),
        };
        let name = format!("{prefix}{number}-{}", plain_name(title));
        Self { name, data }
    }

    /// Returns the text that names the file in a prompt.
    pub(super) fn mention(&self, folders: &Folders) -> String {
        let within: PathBuf = FOLDER.iter().copied().chain([&*self.name]).collect();
        let path = if folders.files == folders.working {
            within
        } else {
            folders.files.join(within)
        };
        let path = path.display().to_string();
        if path.contains(char::is_whitespace) {
            format!("@\"{path}\"")
        } else {
            format!("@{path}")
        }
    }

    /// Writes the file, and its folder if needed. Symbolic links below the project's folder are refused. If the session's
    /// folder is not in the project's folder, those below the session's folder are refused. Blocks.
    ///
    /// # Errors
    /// Fails if the file cannot be written. The text names the path.
    pub(super) fn write(&self, folders: &Folders) -> io::Result<()> {
        let path: PathBuf = std::iter::once(&*folders.files)
            .chain(FOLDER.map(Path::new))
            .chain([Path::new(&self.name)])
            .collect();
        let named =
            |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let bytes = STANDARD.decode(&self.data).map_err(io::Error::other);
        bytes
            .and_then(|bytes| {
                let folder = place::Folder::open(&folders.project, &folders.files, &FOLDER)?;
                if !folder.has(IGNORED.0) {
                    folder.write(IGNORED.0, IGNORED.1.as_bytes())?;
                }
                folder.write(&self.name, &bytes)
            })
            .map_err(named)
    }
}

/// Returns the last part of a path, as a name that needs no quotes. Replaces each character with `-`, except letters,
/// digits, `.`, `_` and `-`. If the name is too long, removes its beginning, so that it keeps its extension.
fn plain_name(title: &str) -> String {
    let last = title.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_plain = |letter: char| letter.is_alphanumeric() || ['.', '_', '-'].contains(&letter);
    let plain = last.trim().chars();
    let plain: String = plain
        .map(|letter| if is_plain(letter) { letter } else { '-' })
        .collect();
    let from = plain.len().saturating_sub(LONGEST_NAME);
    let kept = plain[plain.ceil_char_boundary(from)..].trim_matches(['.', '-']);
    if kept.is_empty() {
        "file".to_owned()
    } else {
        kept.to_owned()
    }
}

/// A folder that was opened without following symbolic links below the project's folder. If a session replaces a folder
/// with a link at the same time, the file is still written into the opened folder.
#[cfg(unix)]
mod place {
    use std::ffi::OsStr;
    use std::fs::File;
    use std::io::{self, Write as _};
    use std::os::fd::OwnedFd;
    use std::path::Path;

    use rustix::fs::{AtFlags, Mode, OFlags, mkdirat, openat, renameat, statat, unlinkat};
    use rustix::io::Errno;

    use crate::within;

    pub(super) struct Folder(OwnedFd);

    fn open(folder: &OwnedFd, name: &OsStr) -> io::Result<OwnedFd> {
        within::folder(folder, name).map_err(|error| match error {
            Errno::LOOP | Errno::NOTDIR => {
                let name = name.display();
                io::Error::other(format!("{name} is not a folder, or a symbolic link"))
            }
            error => error.into(),
        })
    }

    impl Folder {
        pub(super) fn open(project: &Path, root: &Path, below: &[&str]) -> io::Result<Self> {
            let mut folder = match root.strip_prefix(project) {
                Ok(inside) => {
                    let mut folder = within::root(project)?;
                    for name in within::names(inside)? {
                        folder = open(&folder, name)?;
                    }
                    folder
                }
                Err(_) => within::root(root)?,
            };
            for name in below {
                match mkdirat(&folder, *name, Mode::from_raw_mode(0o755)) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(error) => return Err(error.into()),
                }
                folder = open(&folder, OsStr::new(name))?;
            }
            Ok(Self(folder))
        }

        pub(super) fn has(&self, name: &str) -> bool {
            statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
        }

        /// Writes a whole file. An existing file with this name is replaced.
        pub(super) fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
            let new = format!(".{name}.new");
            match unlinkat(&self.0, &*new, AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(error) => return Err(error.into()),
            }
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
            let file = openat(&self.0, &*new, flags, Mode::from_raw_mode(0o644))?;
            let mut file = File::from(file);
            // The file is synced, because an accepted prompt and its files must survive a loss of power.
            let written = file.write_all(bytes).and_then(|()| file.sync_all());
            let renamed = written.and_then(|()| Ok(renameat(&self.0, &*new, &self.0, name)?));
            if renamed.is_err() {
                // The incomplete file is removed, because it takes space on the disk.
                let _ = unlinkat(&self.0, &*new, AtFlags::empty());
            }
            renamed
        }
    }
}

/// A folder. Symbolic links are refused when it is opened.
#[cfg(not(unix))]
mod place {
    use std::path::{Path, PathBuf};
    use std::{fs, io};

    pub(super) struct Folder(PathBuf);

    impl Folder {
        pub(super) fn open(_project: &Path, root: &Path, below: &[&str]) -> io::Result<Self> {
            let mut folder = root.to_owned();
            for name in below {
                folder.push(name);
                match fs::create_dir(&folder) {
                    Ok(()) => {}
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                    Err(error) => return Err(error),
                }
                if !fs::symlink_metadata(&folder)?.is_dir() {
                    let text = format!("{name} is not a folder, or a symbolic link");
                    return Err(io::Error::other(text));
                }
            }
            Ok(Self(folder))
        }

        pub(super) fn has(&self, name: &str) -> bool {
            fs::symlink_metadata(self.0.join(name)).is_ok()
        }

        /// Writes a whole file. An existing file with this name is replaced.
        pub(super) fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
            crate::whole_file::write(&self.0.join(name), bytes)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(title: &str) -> String {
        let prompt = MessageUuid::from("01234567-89ab-cdef-0123-456789abcdef");
        Upload::new(&prompt, 0, title, "QUI=".to_owned()).name
    }

    #[test]
    fn a_name_is_one_plain_part_of_a_path() {
        for (title, name) in [
            ("data.zip", "data.zip"),
            ("../../.ssh/authorized_keys", "authorized_keys"),
            ("C:\\work\\My data (1).xlsx", "My-data--1-.xlsx"),
            ("größe.bin", "größe.bin"),
            ("..", "file"),
            ("", "file"),
            ("a\"b\n@c", "a-b--c"),
        ] {
            let name = format!("0123456789abcdef0123456789abcdef-{name}");
            assert_eq!(named(title), name, "{title}");
        }
        let long = named(&format!("{}.tar.gz", "x".repeat(300)));
        assert_eq!(long.len(), 233);
        assert!(long.ends_with("x.tar.gz"), "{long}");
        let wide = named(&format!("{}.csv", "界".repeat(85)));
        assert!(wide.len() <= 233 && wide.ends_with("界.csv"), "{wide}");
    }

    #[test]
    fn a_path_is_relative_where_the_session_runs() {
        let upload = Upload::new(&"01234567".into(), 1, "a.bin", String::new());
        let folders = |files: &str, working: &str| Folders {
            project: files.into(),
            files: files.into(),
            working: working.into(),
        };
        let here = upload.mention(&folders("/p", "/p"));
        assert_eq!(here, "@.claude/uploads/01234567-2-a.bin");
        let elsewhere = upload.mention(&folders("/my p", "/my p/w"));
        assert_eq!(elsewhere, "@\"/my p/.claude/uploads/01234567-2-a.bin\"");
    }

    #[cfg(unix)]
    #[test]
    fn symbolic_links_are_not_followed() {
        use std::fs;
        use std::os::unix::fs::symlink;

        let root = tempfile::tempdir().unwrap();
        let other = tempfile::tempdir().unwrap();
        let folders = Folders {
            project: root.path().to_owned(),
            files: root.path().to_owned(),
            working: root.path().to_owned(),
        };
        let upload = Upload::new(&"01234567".into(), 0, "keys", "QUI=".to_owned());
        upload.write(&folders).unwrap();
        upload.write(&folders).unwrap();
        let folder = root.path().join(".claude/uploads");
        assert_eq!(fs::read(folder.join("01234567-keys")).unwrap(), b"AB");
        assert_eq!(fs::read(folder.join(".gitignore")).unwrap(), b"*\n");

        // A link that has the name of the file is replaced, and the target of the link stays.
        let target = other.path().join("target");
        fs::write(&target, "kept").unwrap();
        for name in ["01234567-keys", ".01234567-keys.new"] {
            let _ = fs::remove_file(folder.join(name));
            symlink(&target, folder.join(name)).unwrap();
        }
        upload.write(&folders).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"kept");
        assert_eq!(fs::read(folder.join("01234567-keys")).unwrap(), b"AB");

        // If a folder on the path is a symbolic link, the write fails with an error that contains the path.
        fs::remove_dir_all(&folder).unwrap();
        symlink(other.path(), &folder).unwrap();
        let refused = upload.write(&folders).unwrap_err().to_string();
        assert!(refused.contains(".claude/uploads/01234567-keys: uploads is not a folder"));
        assert_eq!(fs::read_dir(other.path()).unwrap().count(), 1);

        // The same holds for the folder of a worktree.
        fs::create_dir_all(root.path().join(".claude/worktrees")).unwrap();
        let tree = root.path().join(".claude/worktrees/a");
        symlink(other.path(), &tree).unwrap();
        let of_tree = Folders {
            files: tree.clone(),
            working: tree,
            ..folders
        };
        let refused = upload.write(&of_tree).unwrap_err().to_string();
        assert!(refused.ends_with("a is not a folder, or a symbolic link"));
        assert_eq!(fs::read_dir(other.path()).unwrap().count(), 1);
    }
}
