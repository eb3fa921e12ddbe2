//! The targets for which the command is built.

use std::env;

/// A target of the command.
pub(super) struct Target {
    /// The target triple of Rust.
    pub(super) triple: &'static str,
    /// The name of the platform in the registry of agents.
    pub(super) platform: &'static str,
    /// The operating system on which the target is built, with the name that Rust uses.
    pub(super) host: &'static str,
    /// The operating system and the architecture, with the names that Node.js uses.
    pub(super) node: (&'static str, &'static str),
    /// The platforms of a wheel for Python.
    pub(super) wheel: &'static str,
    /// The architecture, with the name that Debian uses. Empty for systems other than Linux.
    pub(super) debian: &'static str,
}

/// All targets of a release. Apple and Microsoft allow the use of their linkers and libraries only on their own
/// systems. The targets for Linux need only Rust, because rustup installs their C library, start files and a linker.
pub(super) const TARGETS: [Target; 5] = [
    Target {
        triple: "x86_64-unknown-linux-musl",
        platform: "linux-x86_64",
        host: "linux",
        node: ("linux", "x64"),
        // A static executable needs no C library, so both kinds of Linux systems can install the wheel.
        wheel: "manylinux_2_17_x86_64.musllinux_1_1_x86_64",
        debian: "amd64",
    },
    Target {
        triple: "aarch64-unknown-linux-musl",
        platform: "linux-aarch64",
        host: "linux",
        node: ("linux", "arm64"),
        wheel: "manylinux_2_17_aarch64.musllinux_1_1_aarch64",
        debian: "arm64",
    },
    // These versions of macOS are the oldest that Rust supports.
    Target {
        triple: "x86_64-apple-darwin",
        platform: "darwin-x86_64",
        host: "macos",
        node: ("darwin", "x64"),
        wheel: "macosx_10_12_x86_64",
        debian: "",
    },
    Target {
        triple: "aarch64-apple-darwin",
        platform: "darwin-aarch64",
        host: "macos",
        node: ("darwin", "arm64"),
        wheel: "macosx_11_0_arm64",
        debian: "",
    },
    Target {
        triple: "x86_64-pc-windows-msvc",
        platform: "windows-x86_64",
        host: "windows",
        node: ("win32", "x64"),
        wheel: "win_amd64",
        debian: "",
    },
];

/// The Windows target that is built with mingw. It is not part of a release. It is used to test on Linux that the
/// command can be built and packed for Windows.
pub(super) const REHEARSED: [Target; 1] = [Target {
    triple: xtask::wine::TARGET,
    platform: "",
    host: "linux",
    node: ("win32", "x64"),
    wheel: "win_amd64",
    debian: "",
}];

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
