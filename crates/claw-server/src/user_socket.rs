//! The Unix socket of a server, for programs of the user who runs the server.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{
    DirBuilderExt as _, FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _,
    PermissionsExt as _,
};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::OFlags;
use rustix::process::geteuid;
use tokio::net::{UnixListener, UnixStream};

/// The process at the other end of a connection over the socket. It runs as the user of the server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SocketPeer {
    /// The ID of the process. `None` if the system does not report it.
    pub(crate) pid: Option<i32>,
}

/// A Unix socket on which a server listens for programs of its own user. See
/// [`Server::serve_with_socket`](crate::Server::serve_with_socket). Such a program needs no token. Dropping this value
/// removes the socket.
///
/// Only the user has access to the socket and its folder. The server closes connections from processes of another user,
/// including root. On Linux, it also closes connections from its own descendant processes. Otherwise a tool of a
/// session could answer the session's permission requests. While this value exists, no other [`UserSocket`] can be
/// bound to the same path.
#[derive(Debug)]
pub struct UserSocket {
    listener: UnixListener,
    path: PathBuf,
    /// The device and the inode of the socket.
    identity: (u64, u64),
    /// Whether a warning about a closed connection was already logged.
    is_reported: AtomicBool,
    /// The lock file beside the socket. It is locked while the socket exists.
    _lock: File,
}

/// The reason why a Unix socket cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UserSocketError {
    /// Another server listens on the socket.
    #[error("another server of this user has the socket {}", .0.display())]
    InUse(PathBuf),
    /// The file or folder is not safe to use. It belongs to another user, other users have access to it, or it is of
    /// another kind, such as a symbolic link.
    #[error("{} {reason}", .path.display())]
    Unsafe {
        /// The file or folder.
        path: PathBuf,
        /// The reason why it is not safe, in words.
        reason: &'static str,
    },
    /// The process that listens on the socket runs as another user.
    #[error("the process that listens on {} runs as another user", .0.display())]
    OtherUser(PathBuf),
    /// The operating system reported an error.
    #[error("{}: {error}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error.
        #[source]
        error: io::Error,
    },
}

impl UserSocketError {
    /// Returns whether the error means that no server listens. Either there is no socket, or the server that created it
    /// has ended.
    pub fn is_absent(&self) -> bool {
        use io::ErrorKind::{ConnectionRefused, NotFound};
        matches!(self, Self::Io { error, .. } if matches!(error.kind(), ConnectionRefused | NotFound))
    }

    fn of(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |error| Self::Io { path, error }
    }

    fn unsafe_path(path: &Path, reason: &'static str) -> Self {
        Self::Unsafe {
            path: path.to_owned(),
            reason,
        }
    }
}

impl UserSocket {
    /// Binds a socket at this path. Creates the folder if it does not exist. Replaces the socket of a server that has
    /// ended without removing it. Also creates a lock file beside the socket, with the extension `.lock`. This file is
    /// never removed.
    ///
    /// # Errors
    ///
    /// Fails with [`UserSocketError`] if another server has the socket, or if the path or its folder is not safe.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime.
    pub fn bind(path: impl Into<PathBuf>) -> Result<Self, UserSocketError> {
        let path = path.into();
        let folder = path.parent().unwrap_or(Path::new("/"));
        let created = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        created.map_err(UserSocketError::of(folder))?;
        check_folder(folder)?;
        let lock = lock(&path)?;
        // This server has the lock. So if there is a socket at this path, its server has ended, and the socket is
        // removed.
        match fs::symlink_metadata(&path) {
            Ok(found) => {
                check_socket(&path, &found)?;
                fs::remove_file(&path).map_err(UserSocketError::of(&path))?;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(UserSocketError::Io { path, error }),
        }
        let listener = UnixListener::bind(&path).map_err(UserSocketError::of(&path))?;
        // Until this call, only the permissions of the folder exclude other users.
        let private = fs::set_permissions(&path, Permissions::from_mode(0o600));
        private.map_err(UserSocketError::of(&path))?;
        let own = fs::symlink_metadata(&path).map_err(UserSocketError::of(&path))?;
        Ok(Self {
            listener,
            path,
            identity: identity(&own),
            is_reported: AtomicBool::new(false),
            _lock: lock,
        })
    }

    /// Connects to the server at this path. The folder, the socket and the listening process must belong to the user of
    /// this process. A request over this connection must have the header `Host: claw`, and needs no token.
    ///
    /// # Errors
    ///
    /// Fails with [`UserSocketError`]. Use [`UserSocketError::is_absent`] to check whether no server listens.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a connection that is not returned is closed.
    pub async fn connect(path: &Path) -> Result<UnixStream, UserSocketError> {
        check_folder(path.parent().unwrap_or(Path::new("/")))?;
        let found = fs::symlink_metadata(path).map_err(UserSocketError::of(path))?;
        check_socket(path, &found)?;
        let stream = UnixStream::connect(path).await;
        let stream = stream.map_err(UserSocketError::of(path))?;
        let peer = stream.peer_cred().map_err(UserSocketError::of(path))?;
        if peer.uid() != geteuid().as_raw() {
            return Err(UserSocketError::OtherUser(path.to_owned()));
        }
        Ok(stream)
    }

    /// Returns the path of the socket.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Accepts the next connection of a process that runs as the server's user and is not a descendant of the server.
    /// Closes all other connections. Cancel safe.
    pub(crate) async fn accept(&self) -> io::Result<(UnixStream, SocketPeer)> {
        loop {
            let (stream, _) = self.listener.accept().await?;
            // The process has already ended, so its user cannot be determined. The connection is closed.
            let Ok(peer) = stream.peer_cred() else {
                continue;
            };
            let refusal = if peer.uid() != geteuid().as_raw() {
                "a process of another user"
            } else if peer.pid().is_some_and(is_below_this_process) {
                "a process that was started by this server"
            } else {
                return Ok((stream, SocketPeer { pid: peer.pid() }));
            };
            if !self.is_reported.swap(true, Ordering::Relaxed) {
                tracing::warn!(
                    uid = peer.uid(),
                    pid = peer.pid(),
                    "a connection of {refusal} to the socket was closed; further ones are not reported"
                );
            }
        }
    }
}

impl Drop for UserSocket {
    fn drop(&mut self) {
        let found = fs::symlink_metadata(&self.path);
        if found.is_ok_and(|found| identity(&found) == self.identity) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Returns whether a process is a descendant of this process. Returns `false` if the system does not report the parents
/// of processes. When a process ends, the system gives its children another parent. So a program can hide from this
/// check deliberately.
fn is_below_this_process(pid: i32) -> bool {
    /// Maximum number of ancestors of the process that are checked.
    const DEEPEST: usize = 100;

    let own = std::process::id().cast_signed();
    let mut above = std::iter::successors(Some(pid), |&pid| parent(pid));
    above.by_ref().skip(1).take(DEEPEST).any(|pid| pid == own)
}

/// Returns the ID of the parent of a process.
fn parent(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program is in parentheses, and may contain any character. So only the text after the last `)` is read.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

fn identity(found: &Metadata) -> (u64, u64) {
    (found.dev(), found.ino())
}

/// Locks the file beside the socket. The operating system releases the lock when the process ends.
fn lock(socket: &Path) -> Result<File, UserSocketError> {
    let path = socket.with_extension("lock");
    let no_follow = OFlags::NOFOLLOW.bits().cast_signed();
    let opened = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .custom_flags(no_follow)
        .open(&path);
    let lock = opened.map_err(UserSocketError::of(&path))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(UserSocketError::InUse(socket.to_owned())),
        Err(TryLockError::Error(error)) => Err(UserSocketError::Io { path, error }),
    }
}

fn check_folder(folder: &Path) -> Result<(), UserSocketError> {
    let found = fs::symlink_metadata(folder).map_err(UserSocketError::of(folder))?;
    if !found.is_dir() {
        return Err(UserSocketError::unsafe_path(folder, "is no folder"));
    }
    check_owner(folder, &found)?;
    if found.mode() & 0o077 != 0 {
        let reason = "can be used by others: its mode has to be 0700";
        return Err(UserSocketError::unsafe_path(folder, reason));
    }
    Ok(())
}

fn check_socket(path: &Path, found: &Metadata) -> Result<(), UserSocketError> {
    if !found.file_type().is_socket() {
        return Err(UserSocketError::unsafe_path(path, "is no socket"));
    }
    check_owner(path, found)
}

fn check_owner(path: &Path, found: &Metadata) -> Result<(), UserSocketError> {
    if found.uid() == geteuid().as_raw() {
        return Ok(());
    }
    Err(UserSocketError::unsafe_path(
        path,
        "belongs to another user",
    ))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[tokio::test]
    async fn a_socket_is_private_and_is_removed_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run/serve.sock");
        let socket = UserSocket::bind(&path).unwrap();
        let mode = |path: &Path| fs::symlink_metadata(path).unwrap().mode() & 0o777;
        assert_eq!(mode(path.parent().unwrap()), 0o700);
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(&path.with_extension("lock")), 0o600);
        drop(socket);
        assert!(!path.exists());
    }

    #[tokio::test]
    async fn a_socket_in_use_is_kept_and_one_of_a_server_that_was_killed_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run/serve.sock");
        let first = UserSocket::bind(&path).unwrap();
        let second = UserSocket::bind(&path).unwrap_err();
        assert!(matches!(second, UserSocketError::InUse(_)), "{second}");
        UserSocket::connect(&path).await.unwrap();
        drop(first);
        // A server that was killed leaves such a socket.
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        let absent = UserSocket::connect(&path).await.unwrap_err();
        assert!(absent.is_absent(), "{absent}");
        let next = UserSocket::bind(&path).unwrap();
        UserSocket::connect(&path).await.unwrap();
        // Another program has replaced the socket by its own file. The drop does not remove this file.
        fs::remove_file(&path).unwrap();
        fs::write(&path, "").unwrap();
        drop(next);
        assert!(path.exists());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_this_process_has_started_is_below_it() {
        use std::io::{BufRead as _, BufReader};
        use std::process::{Command, Stdio};

        let mut shell = Command::new("sh");
        // The shell starts a child, prints the child's ID, and waits for the child.
        shell.args(["-c", "sleep 60 & echo $!; wait"]);
        let mut shell = shell.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(shell.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        let sleep: i32 = line.trim().parse().unwrap();
        let pid = shell.id().cast_signed();
        assert!(is_below_this_process(pid) && is_below_this_process(sleep));
        assert!(!is_below_this_process(std::process::id().cast_signed()));
        assert!(!is_below_this_process(1));
        shell.kill().unwrap();
        shell.wait().unwrap();
        let sleep = rustix::process::Pid::from_raw(sleep).unwrap();
        rustix::process::kill_process(sleep, rustix::process::Signal::KILL).unwrap();
    }

    #[tokio::test]
    async fn links_other_files_and_open_folders_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let unsafe_path = |path: &Path| {
            let error = UserSocket::bind(path).unwrap_err();
            assert!(matches!(error, UserSocketError::Unsafe { .. }), "{error}");
        };
        DirBuilder::new().mode(0o700).create(at("real")).unwrap();
        symlink(at("real"), at("link")).unwrap();
        unsafe_path(&at("link/serve.sock"));
        symlink(at("elsewhere"), at("real/serve.sock")).unwrap();
        unsafe_path(&at("real/serve.sock"));
        fs::remove_file(at("real/serve.sock")).unwrap();
        fs::write(at("real/serve.sock"), "a file").unwrap();
        unsafe_path(&at("real/serve.sock"));
        assert_eq!(fs::read(at("real/serve.sock")).unwrap(), b"a file");
        fs::remove_file(at("real/serve.sock")).unwrap();
        fs::remove_file(at("real/serve.lock")).unwrap();
        symlink(at("elsewhere"), at("real/serve.lock")).unwrap();
        let error = UserSocket::bind(at("real/serve.sock")).unwrap_err();
        assert!(matches!(error, UserSocketError::Io { .. }), "{error}");
        assert!(!at("elsewhere").exists());
        DirBuilder::new().mode(0o755).create(at("open")).unwrap();
        unsafe_path(&at("open/serve.sock"));
        let error = UserSocket::connect(&at("open/serve.sock")).await;
        let error = error.unwrap_err();
        assert!(matches!(error, UserSocketError::Unsafe { .. }), "{error}");
    }
}
