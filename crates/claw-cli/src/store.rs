//! The store of sessions that `--store` or the environment names.

use std::path::Path;

use crate::args::Store;
#[cfg(not(feature = "stores"))]
use crate::left_out;
use crate::outcome::Outcome;
use crate::url_password::has_password;

#[cfg(feature = "stores")]
mod check;
#[cfg(feature = "stores")]
mod copy;
#[cfg(feature = "stores")]
mod opened;
#[cfg(feature = "stores")]
mod place;
#[cfg(feature = "s3")]
mod s3;
#[cfg(all(feature = "stores", not(feature = "s3")))]
#[path = "store/no_s3.rs"]
mod s3;

#[cfg(feature = "stores")]
pub(crate) use opened::Opened;

/// An open store. This build has no stores, so there is no value of this type.
#[cfg(not(feature = "stores"))]
pub(crate) type Opened = std::convert::Infallible;

/// The environment variable with the URL. It is used if the command line contains no URL.
const VARIABLE: &str = "CLAW_STORE";

impl Store {
    /// Opens the store, if one is named. `command` is the command that uses the store for sessions in this directory.
    #[cfg(feature = "stores")]
    pub(crate) async fn open(
        &self,
        command: &str,
        directory: &Path,
    ) -> Result<Option<Opened>, Outcome> {
        let Some(url) = self.url()? else {
            return Ok(None);
        };
        let project = self.store_project.clone();
        match Opened::open(&url, project, command, directory).await {
            Ok(opened) => Ok(Some(opened)),
            Err(error) => Err(crate::outcome::report(&error, Outcome::NotStarted)),
        }
    }

    /// Fails if a store is named, because this build has no stores.
    #[cfg(not(feature = "stores"))]
    #[expect(clippy::unused_async, reason = "it is, where there are stores")]
    pub(crate) async fn open(&self, _: &str, _: &Path) -> Result<Option<Opened>, Outcome> {
        match self.url()? {
            Some(_) => Err(left_out::refuse("store of sessions", "stores")),
            None => Ok(None),
        }
    }

    /// Returns arguments that name the same store in any directory and environment. They never contain a URL with a
    /// password.
    #[cfg(all(feature = "stores", feature = "terminal"))]
    pub(crate) fn arguments(&self) -> Result<Vec<std::ffi::OsString>, Outcome> {
        let refuse = |why: &dyn std::fmt::Display| {
            anstream::eprintln!("claw: {why}");
            Err(Outcome::Usage)
        };
        let mut arguments: Vec<std::ffi::OsString> = Vec::new();
        if let Some(file) = &self.store_file {
            match std::path::absolute(file) {
                Ok(file) => arguments.extend(["--store-file".into(), file.into()]),
                Err(error) => return refuse(&error),
            }
        } else if let Some(url) = self.url()? {
            if has_password(&url) {
                return refuse(
                    &"CLAW_STORE has a password, which belongs into no command line: write the URL into a file that only \
                      you can read, and name it with --store-file.",
                );
            }
            let is_folder = !url.contains("://");
            match std::path::absolute(&url) {
                Ok(folder) if is_folder => arguments.extend(["--store".into(), folder.into()]),
                Err(error) if is_folder => return refuse(&error),
                _ => arguments.extend(["--store".into(), url.into()]),
            }
        }
        if let Some(project) = &self.store_project {
            arguments.extend(["--store-project".into(), project.into()]);
        }
        Ok(arguments)
    }

    /// Returns these arguments. If neither these arguments nor the environment name a store, returns the arguments of
    /// the configuration file.
    #[cfg(feature = "terminal")]
    pub(crate) fn or_of_file(&self) -> Result<Self, Outcome> {
        use crate::defaults::{file::File, path::path};
        let mut store = self.clone();
        let is_set = std::env::var_os(VARIABLE).is_some_and(|url| !url.is_empty());
        if self.store.is_none()
            && self.store_file.is_none()
            && !is_set
            && let Some(path) = path()
        {
            let file = File::read(&path)?;
            let value = |key| file.of_sync(key).map(str::to_owned);
            (store.store, store.store_file) = (value("store"), value("store-file").map(Into::into));
            store.store_project = store.store_project.or_else(|| value("store-project"));
            if store.store.is_some() && store.store_file.is_some() {
                let fault = "[sync] has a store and a store-file: one of them names the store";
                anstream::eprintln!(
                    "claw: {}: {fault}",
                    crate::escape::escape(&path.display().to_string())
                );
                return Err(Outcome::Usage);
            }
        }
        Ok(store)
    }

    fn url(&self) -> Result<Option<String>, Outcome> {
        let refuse = |why: &str| {
            anstream::eprintln!("claw: {why}");
            Err(Outcome::Usage)
        };
        if let Some(url) = &self.store {
            if has_password(url) {
                return refuse(
                    "--store: every user of this machine can read a command line. Set CLAW_STORE to the URL with the \
                     password, or write it into a file for --store-file.",
                );
            }
            return Ok(Some(url.clone()));
        }
        if let Some(file) = &self.store_file {
            return match std::fs::read_to_string(file) {
                Ok(url) if !url.trim().is_empty() => Ok(Some(url.trim().to_owned())),
                Ok(_) => refuse(&format!(
                    "--store-file {}: the file is empty",
                    file.display()
                )),
                Err(error) => refuse(&format!("--store-file {}: {error}", file.display())),
            };
        }
        match std::env::var(VARIABLE) {
            Ok(url) if !url.is_empty() => Ok(Some(url)),
            Err(std::env::VarError::NotUnicode(_)) => refuse("CLAW_STORE is not a URL"),
            _ if self.store_project.is_some() => {
                refuse("--store-project names a project in a store: --store is missing")
            }
            _ => Ok(None),
        }
    }
}
