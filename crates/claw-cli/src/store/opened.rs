//! An opened store.

use std::path::Path;
use std::sync::Arc;

#[cfg(feature = "terminal")]
use claw_client::store::StoredSessions;
use claw_client::store::{Owner, SessionStore, StoreError, StoreOptions, project_name};

/// A store that is open, and what this command is in it.
#[derive(Debug, Clone)]
pub(crate) struct Opened {
    store: Arc<dyn SessionStore>,
    /// The name of the project.
    pub(crate) project: String,
    /// Whether the project was named. Otherwise it is that of the directory.
    #[cfg(feature = "terminal")]
    is_named: bool,
    /// This process.
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
            project: project.unwrap_or_else(|| project_name(directory)),
            owner: Owner::new(format!("claw {command}, process {process} on {}", host())),
        })
    }

    /// How a session uses it.
    pub(crate) fn options(&self) -> StoreOptions {
        StoreOptions::new(self.store.clone())
            .project(&*self.project)
            .owner(self.owner.clone())
    }

    /// How sessions of several directories use it: each has the project of its directory, if no project was named.
    #[cfg(feature = "terminal")]
    pub(crate) fn options_of_any_project(&self) -> StoreOptions {
        if self.is_named {
            return self.options();
        }
        StoreOptions::new(self.store.clone()).owner(self.owner.clone())
    }

    /// Its sessions.
    #[cfg(feature = "terminal")]
    pub(crate) fn sessions(&self) -> StoredSessions {
        self.options().sessions()
    }
}

/// Opens the store that a URL names.
pub(super) async fn open(url: &str) -> Result<Arc<dyn SessionStore>, StoreError> {
    match url.strip_prefix("s3://") {
        #[cfg(feature = "s3")]
        Some(place) => super::s3::open(place).await,
        #[cfg(not(feature = "s3"))]
        Some(_) => Err(StoreError::refused(
            "stores in buckets need claw-cli's feature s3, which is not built in",
        )),
        None => claw_client::store::open(url).await,
    }
}

/// The name of this machine.
#[cfg(unix)]
fn host() -> String {
    rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned()
}

/// The name of this machine.
#[cfg(not(unix))]
fn host() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_else(|_| "this machine".to_owned())
}
