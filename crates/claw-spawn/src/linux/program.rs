//! The program to run, in the form of the system.

use std::collections::BTreeMap;
use std::ffi::{CString, OsStr, OsString, c_char};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::Command;
use std::ptr;

/// The search path for a bare name without a `PATH`, as in the C library.
const USUAL_PATH: &str = "/bin:/usr/bin";

/// The text by which a `Command` replaces an argument that contains a null byte. The original text
/// is lost.
const WITH_NULL: &str = "<string-with-nul>";

/// A command whose strings end with a null.
pub(super) struct Program {
    /// The candidates for the program's path, tried in turn.
    pub(super) paths: Vec<CString>,
    pub(super) arguments: Vec<CString>,
    pub(super) environment: Vec<CString>,
    pub(super) directory: Option<CString>,
}

impl Program {
    pub(super) fn of(command: &Command) -> io::Result<Self> {
        let mut variables: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => variables.insert(name.to_owned(), value.to_owned()),
                None => variables.remove(name),
            };
        }
        let name = command.get_program();
        if command.get_args().any(|argument| argument == WITH_NULL) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let arguments = std::iter::once(name).chain(command.get_args());
        let path = variables.get(OsStr::new("PATH"));
        Ok(Self {
            paths: candidates(name, path)?,
            arguments: arguments.map(c_string).collect::<io::Result<_>>()?,
            environment: variables
                .iter()
                .map(|(name, value)| {
                    c_string(&[name, value].map(OsString::as_os_str).join(OsStr::new("=")))
                })
                .collect::<io::Result<_>>()?,
            directory: command
                .get_current_dir()
                .map(|folder| c_string(folder.as_os_str()))
                .transpose()?,
        })
    }
}

/// The files that a name may mean: itself, or those of this name in the folders of `PATH`.
fn candidates(name: &OsStr, path: Option<&OsString>) -> io::Result<Vec<CString>> {
    if name.is_empty() || name.as_bytes().contains(&b'/') {
        return Ok(vec![c_string(name)?]);
    }
    let usual = OsString::from(USUAL_PATH);
    std::env::split_paths(path.unwrap_or(&usual))
        // An empty folder is the current one.
        .map(|folder| c_string(Path::new(".").join(folder).join(name).as_os_str()))
        .collect()
}

fn c_string(text: &OsStr) -> io::Result<CString> {
    Ok(CString::new(text.as_bytes())?)
}

/// The strings as a null-terminated list.
pub(super) fn pointers(texts: &[CString]) -> Vec<*const c_char> {
    let texts = texts.iter().map(|text| text.as_ptr());
    texts.chain([ptr::null()]).collect()
}
