//! `claw serve --only-env`: limits the environment of claude, and of the programs that it runs, to
//! the listed variables.

use std::error::Error;
use std::ffi::OsString;

use claw_client::types::QueryOptions;

/// The variables that programs need, in upper case. They are about paths, the user, the language and display of texts,
/// and the network.
const NEEDED: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "COLORTERM",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "TZ",
    "TMPDIR",
    "TEMP",
    "TMP",
    "XDG_*",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    // The following variables are settings of claude.
    "DISABLE_*",
    "ANTHROPIC_*",
    "CLAUDE_*",
    "CLAW_SESSION",
    "CLAW_CLAUDE_PATH",
    // Programs on Windows need the following variables.
    "APPDATA",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "NUMBER_OF_PROCESSORS",
    "OS",
    "PATHEXT",
    "PROCESSOR_*",
    "PROGRAMDATA",
    "PROGRAMFILES*",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
];

/// Removes all variables that are neither needed nor in `names`. Variables that the options set remain.
pub(super) fn keep_only(
    names: &[String],
    host: impl IntoIterator<Item = OsString>,
    options: &mut QueryOptions,
) -> Result<(), Box<dyn Error>> {
    let env = options.env.get_or_insert_default();
    for name in host {
        let Some(name) = name.to_str() else {
            return Err(format!(
                "--only-env: a variable's name is not text: {}",
                name.display()
            )
            .into());
        };
        // Proxy variables can have names in upper or lower case.
        let upper = name.to_ascii_uppercase();
        let is_kept = NEEDED.iter().any(|needed| fits(needed, &upper))
            || names.iter().any(|given| fits(given, name));
        if !is_kept && env.get(name).is_none() {
            env.insert(name, None);
        }
    }
    Ok(())
}

/// Returns whether the name of a variable matches a pattern. A `*` at the end of the pattern matches any text.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_listed_or_named_is_left() {
        let mut options = QueryOptions::default();
        let env = options.env.get_or_insert_default();
        env.insert("MINE", Some("1".to_owned()));
        let left = [
            "PATH",
            "https_proxy",
            "LC_ALL",
            "ANTHROPIC_API_KEY",
            "GITHUB_TOKEN",
            "AWS_REGION",
            "MINE",
        ];
        let removed = [
            "POSTGRES_PASSWORD",
            "PATHS",
            "AWSOME",
            "github_token",
            "CLAW_STORE",
        ];
        let host = left.iter().chain(&removed).map(Into::into);
        let names = ["GITHUB_TOKEN".to_owned(), "AWS_*".to_owned(), String::new()];
        keep_only(&names, host, &mut options).unwrap();
        let env = options.env.unwrap();
        for name in removed {
            assert_eq!(env.get(name), Some(&None), "{name}");
        }
        for name in left {
            assert_ne!(env.get(name), Some(&None), "{name}");
        }
    }
}
