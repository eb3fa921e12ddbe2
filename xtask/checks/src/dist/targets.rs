//! The targets for which the command is built.

use std::env;

/// A target of the command.
pub(super) struct Target {
    /// The target triple of Rust.
    pub(super) triple: &'static str,
    /// The name in the registry of agents.
    pub(super) platform: &'static str,
    /// The operating system on which it is built, as Rust names it.
    pub(super) host: &'static str,
}

const fn target(triple: &'static str, platform: &'static str, host: &'static str) -> Target {
    Target {
        triple,
        platform,
        host,
    }
}

/// All targets. Apple and Microsoft allow their linkers and libraries only on their own systems. The targets for Linux
/// need only Rust: rustup installs their C library, start files and a linker.
pub(super) const TARGETS: [Target; 5] = [
    target("x86_64-unknown-linux-musl", "linux-x86_64", "linux"),
    target("aarch64-unknown-linux-musl", "linux-aarch64", "linux"),
    target("x86_64-apple-darwin", "darwin-x86_64", "macos"),
    target("aarch64-apple-darwin", "darwin-aarch64", "macos"),
    target("x86_64-pc-windows-msvc", "windows-x86_64", "windows"),
];

/// The Windows target of mingw. It is not part of a release. It tests on Linux that the command can be built and
/// packed.
pub(super) const REHEARSED: [Target; 1] = [target(xtask::wine::TARGET, "", "linux")];

impl Target {
    /// Whether this machine can build the target.
    pub(super) fn is_built_here(&self) -> bool {
        self.host == env::consts::OS
    }

    /// Whether the target is part of a release.
    pub(super) fn is_in_a_release(&self) -> bool {
        TARGETS.iter().any(|target| target.triple == self.triple)
    }

    /// Whether this machine can run programs of the target.
    pub(super) fn is_of_this_machine(&self) -> bool {
        self.is_built_here()
            && self.triple.starts_with(env::consts::ARCH)
            && self.is_windows() == cfg!(windows)
    }

    pub(super) fn is_musl(&self) -> bool {
        self.triple.ends_with("-musl")
    }

    /// Returns the file name of a command's executable.
    pub(super) fn executable(&self, command: &str) -> String {
        if self.is_windows() {
            format!("{command}.exe")
        } else {
            command.to_owned()
        }
    }

    fn is_windows(&self) -> bool {
        self.triple.contains("-windows-")
    }
}
