//! An opened store.

use std::path::Path;
#[cfg(any(feature = "serve", feature = "terminal"))]
use std::path::PathBuf;
use std::sync::Arc;

#[cfg(feature = "terminal")]
use claw_client::store::WriterId;
use claw_client::store::{
    Owner, ReadSessions, SessionStore, StoreError, StoreOptions, project_name,
};
#[cfg(feature = "terminal")]
use claw_client::store::{SessionSync, StoredSessions};
#[cfg(feature = "terminal")]
use claw_sessions::Sessions;
use claw_store::adapter::{Foreign, Scheme, Sdk};

#[cfg(any(feature = "serve", feature = "terminal"))]
use super::place::part_of_place;
#[cfg(feature = "terminal")]
use super::place::place;
use crate::args::store::Layout;
use crate::escape::escape;
use crate::outcome::{Outcome, write_stderr};
use crate::url_password::has_password;

/// The schemes of stores that URLs can name, in addition to stores in memory and in folders. Each adapter is one row.
const SCHEMES: &[Scheme] = &[
    claw_store_postgres::SCHEME,
    claw_store_redis::SCHEME,
    super::s3::SCHEME,
];

/// An open store, with the project and the owner for which this command uses it.
#[derive(Debug, Clone)]
pub(crate) struct Opened {
    store: Arc<dyn SessionStore>,
    /// The name of the project.
    pub(crate) project: String,
    /// Whether the user has named the project. Otherwise, the project is derived from the directory.
    #[cfg(feature = "terminal")]
    is_named: bool,
    /// An ID that distinguishes the store from other stores. It contains no text of the URL.
    #[cfg(feature = "terminal")]
    id: WriterId,
    /// The ID of the store's index on this host. It contains no text of the URL.
    #[cfg(any(feature = "serve", feature = "terminal"))]
    index_id: WriterId,
    /// The owner of the claims of this process.
    pub(crate) owner: Owner,
}

impl Opened {
    pub(super) async fn open(
        url: &str,
        project: Option<String>,
        command: &str,
        directory: &Path,
    ) -> Result<Self, StoreError> {
        let process = std::process::id();
        Ok(Self {
            store: open(url).await?,
            #[cfg(feature = "terminal")]
            is_named: project.is_some(),
            #[cfg(feature = "terminal")]
            id: WriterId::of_store(&place(url)),
            #[cfg(any(feature = "serve", feature = "terminal"))]
            index_id: WriterId::of_store(&part_of_place(url)),
            project: project.unwrap_or_else(|| project_name(directory)),
            owner: Owner::new(format!("claw {command}, process {process} on {}", host())),
        })
    }

    /// Returns the options with which a session uses the store.
    pub(crate) fn options(&self) -> StoreOptions {
        StoreOptions::new(self.store.clone())
            .project(&*self.project)
            .owner(self.owner.clone())
    }

    /// Returns the options for sessions of several directories. If no project was named, each session has the project
    /// of its directory.
    #[cfg(feature = "terminal")]
    pub(crate) fn options_of_any_project(&self) -> StoreOptions {
        if self.is_named {
            return self.options();
        }
        StoreOptions::new(self.store.clone()).owner(self.owner.clone())
    }

    /// Returns the folder of the store's index on this host. It is beside these sessions.
    #[cfg(any(feature = "serve", feature = "terminal"))]
    pub(crate) fn index_folder(&self, sessions: &Sessions) -> PathBuf {
        let all = sessions.projects().with_file_name("claw-index");
        all.join(self.index_id.as_str())
    }

    /// Returns the sessions in the store.
    #[cfg(feature = "terminal")]
    pub(crate) fn sessions(&self) -> StoredSessions {
        self.options().sessions()
    }

    /// Creates the synchronisation of these sessions with the store.
    #[cfg(feature = "terminal")]
    pub(crate) fn sync(&self, sessions: Sessions) -> SessionSync {
        let folder = sessions.projects().with_file_name("claw-sync");
        let folder = folder.join(self.id.as_str());
        let sync = SessionSync::new(self.sessions(), sessions, folder).owner(&*self.owner.name);
        if self.is_named {
            sync.project(&*self.project)
        } else {
            sync
        }
    }
}

/// Opens the store that a URL names.
pub(super) async fn open(url: &str) -> Result<Arc<dyn SessionStore>, StoreError> {
    claw_store::open(url, SCHEMES).await
}

/// Opens a store for reading.
pub(super) async fn open_from(
    url: &str,
    layout: &Layout,
) -> Result<Arc<dyn ReadSessions>, StoreError> {
    let sdk = match layout.sdk.as_deref() {
        None => return Ok(open(url).await?),
        Some("python") => Sdk::Python,
        Some(_) => Sdk::TypeScript,
    };
    let name = layout.named.as_deref();
    claw_store::open_foreign(url, Foreign { sdk, name }, SCHEMES).await
}

/// Returns the URL in an argument, or in the environment variable that the argument names.
pub(super) fn url(argument: &str, given: &str) -> Result<String, Outcome> {
    let refuse = |why: String| {
        write_stderr(&format!("claw: {argument}: {}\n", escape(&why)));
        Outcome::Usage
    };
    if let Some(name) = given.strip_prefix("env:") {
        let value = std::env::var(name).ok().filter(|url| !url.is_empty());
        return value.ok_or_else(|| refuse(format!("the variable {name} is not set to a URL")));
    }
    if has_password(given) {
        let why = "every user of this machine can read a command line. Set a variable to the URL with the password, \
            and write env: and its name here.";
        return Err(refuse(why.to_owned()));
    }
    Ok(given.to_owned())
}

/// Returns the name of this machine.
#[cfg(unix)]
fn host() -> String {
    rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned()
}

/// Returns the name of this machine.
#[cfg(not(unix))]
fn host() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_else(|_| "this machine".to_owned())
}
