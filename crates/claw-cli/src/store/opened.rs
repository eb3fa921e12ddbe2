//! An opened store.

use std::path::Path;
use std::sync::Arc;

#[cfg(feature = "terminal")]
use claw_client::store::StoredSessions;
use claw_client::store::{Owner, SessionStore, StoreError, StoreOptions, project_name};

/// An open store, with the project and the owner for which this command uses it.
#[derive(Debug, Clone)]
pub(crate) struct Opened {
    store: Arc<dyn SessionStore>,
    /// The name of the project.
    pub(crate) project: String,
    /// Whether the user has named the project. Otherwise, it is that of the directory.
    #[cfg(feature = "terminal")]
    is_named: bool,
    /// This process, as the owner of claims.
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

    /// The options with which a session uses the store.
    pub(crate) fn options(&self) -> StoreOptions {
        StoreOptions::new(self.store.clone())
            .project(&*self.project)
            .owner(self.owner.clone())
    }

    /// The options for sessions of several directories: each has the project of its directory, if no project was named.
    #[cfg(feature = "terminal")]
    pub(crate) fn options_of_any_project(&self) -> StoreOptions {
        if self.is_named {
            return self.options();
        }
        StoreOptions::new(self.store.clone()).owner(self.owner.clone())
    }

    /// The sessions in the store.
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
