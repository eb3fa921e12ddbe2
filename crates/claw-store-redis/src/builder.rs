//! The settings of a store.

use std::fmt;
use std::time::Duration;

use claw_store::StoreError;
use claw_store::adapter::{LINE_LIMIT, TIMEOUT};
use redis::Client;

use crate::server::Server;
use crate::{Store, read};

/// Settings of a [`Store`].
#[derive(Clone)]
#[must_use = "the store is made by `connect`"]
pub struct Builder {
    url: String,
    pub(crate) prefix: String,
    timeout: Duration,
    pub(crate) line_limit: usize,
}

impl Builder {
    pub(crate) fn new(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            prefix: "claw".to_owned(),
            timeout: TIMEOUT,
            line_limit: LINE_LIMIT,
        }
    }

    /// Sets the prefix of all keys: at most 64 letters, digits and `._~-:`. In a key, a colon follows the prefix.
    /// Default: `claw`. Stores with different prefixes share nothing. A user of the Redis server can be restricted to one
    /// prefix.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Sets the timeout of each call, including connecting. For a load, it applies to each page. Default: 30 seconds.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the maximum length of a line in bytes, for storing and loading. Default: 64 MiB.
    pub fn line_limit(mut self, bytes: usize) -> Self {
        self.line_limit = bytes;
        self
    }

    /// Connects to the server. A URL that begins with `rediss:` needs the feature `tls`. The certificate must be valid
    /// for the host of the URL, and signed by a root certificate of the system, or by one in the file that the environment
    /// variable `SSL_CERT_FILE` names.
    ///
    /// # Errors
    ///
    /// Fails with [`StoreError::Refused`] for invalid settings, a wrong password, or a server that removes keys when
    /// its memory is full (`maxmemory-policy`). Fails with [`StoreError::Unavailable`] if the server cannot be
    /// reached.
    pub async fn connect(self) -> Result<Store, StoreError> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._~-:".contains(&byte);
        if !(1..=64).contains(&self.prefix.len()) || !self.prefix.bytes().all(is_plain) {
            return Err(StoreError::refused(
                "the prefix of keys is not 1 to 64 letters, digits and `._~-:`",
            ));
        }
        let store = Store {
            server: self.server()?,
            prefix: self.prefix,
            line_limit: self.line_limit,
        };
        store.check_server().await?;
        Ok(store)
    }

    /// Returns the server, without connecting. The first request connects.
    pub(crate) fn server(&self) -> Result<Server, StoreError> {
        // The crate redis creates a configuration of TLS itself. It panics if the process has no cryptography provider,
        // so a provider is installed first.
        #[cfg(feature = "tls")]
        if self.url.starts_with("rediss:") {
            claw_tls::install_default().map_err(StoreError::refused)?;
        }
        // The cause is left out, because it could quote a password.
        let client = Client::open(&*self.url).map_err(|_| {
            StoreError::refused(
                "the URL of the Redis server cannot be read, or needs TLS, which the feature `tls` adds",
            )
        })?;
        Ok(Server::new(client, self.timeout))
    }
}

impl Store {
    /// Refuses a server that evicts keys when its memory is full. Policies that evict only keys with a time to live are
    /// accepted, because the store's keys have none.
    async fn check_server(&self) -> Result<(), StoreError> {
        let mut info = redis::cmd("INFO");
        info.arg("memory");
        let answer = self.server.command(self.server.deadline(), &info).await;
        let info: String = match answer {
            Ok(answer) => read(answer)?,
            Err(StoreError::Refused(why)) if is_no_answer(&why.to_string()) => return Ok(()),
            Err(error) => return Err(error),
        };
        let policy = info
            .lines()
            .find_map(|line| line.strip_prefix("maxmemory_policy:"));
        match policy {
            Some(policy) if policy.starts_with("allkeys") => Err(StoreError::refused(format!(
                "the server's maxmemory-policy is {policy}: it would remove lines of conversations"
            ))),
            _ => Ok(()),
        }
    }
}

/// Whether the error means that the server refuses the command to this user, or does not know it.
fn is_no_answer(error: &str) -> bool {
    error.starts_with("NOPERM") || error.contains("unknown command")
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Leaves out the URL, because it contains a password.
        f.debug_struct("Builder")
            .field("prefix", &self.prefix)
            .field("timeout", &self.timeout)
            .field("line_limit", &self.line_limit)
            .finish_non_exhaustive()
    }
}
