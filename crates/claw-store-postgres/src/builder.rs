//! The settings of a store.

use std::borrow::Cow;
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use claw_store::StoreError;
use claw_store::adapter::{LINE_LIMIT, TIMEOUT};
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::{Config, NoTls, Socket};

use crate::Store;
use crate::pool::Pool;
use crate::schema::Schema;

/// The parameter of libpq with which the client also verifies the name of the server.
const VERIFY_FULL: &str = "sslmode=verify-full";

/// Settings of a [`Store`].
#[derive(Clone)]
#[must_use = "the store is made by `connect`"]
pub struct Builder {
    url: String,
    schema: String,
    connections: usize,
    timeout: Duration,
    pub(crate) line_limit: usize,
    migrate: bool,
}

impl Builder {
    pub(crate) fn new(url: &str) -> Self {
        let (url, schema) = without_schema(url);
        Self {
            url: url.into_owned(),
            schema: schema.unwrap_or("claw").to_owned(),
            connections: 8,
            timeout: TIMEOUT,
            line_limit: LINE_LIMIT,
            migrate: true,
        }
    }

    /// Sets the name of the schema that contains the tables: at most 63 lower-case letters, digits and underscores.
    /// Default: the option `schema` of the URL, or `claw` if the URL has no such option. Stores in different schemas share nothing, and a role of the database can be restricted to one
    /// schema.
    pub fn schema(mut self, schema: impl Into<String>) -> Self {
        self.schema = schema.into();
        self
    }

    /// Sets the maximum number of connections. A call that finds no free connection waits for one, up to its timeout.
    /// Default: 8.
    pub fn connections(mut self, connections: usize) -> Self {
        self.connections = connections;
        self
    }

    /// Sets the timeout of each call, including the wait for a connection. For a load, it applies to each page.
    /// Default: 30 seconds. After this time, the database server also ends statements and transactions that the host
    /// has left unfinished.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the maximum length of a line in bytes, for storing and loading. Default: 64 MiB.
    pub fn line_limit(mut self, bytes: usize) -> Self {
        self.line_limit = bytes;
        self
    }

    /// Sets whether missing tables are created. Default: true. Use `false` for a role that may not create tables,
    /// after a role with that permission has connected once.
    pub fn migrate(mut self, migrate: bool) -> Self {
        self.migrate = migrate;
        self
    }

    /// Connects. With `sslmode=require` or `sslmode=verify-full` in the URL, the connection uses TLS, which needs the
    /// feature `tls`. The certificate is verified in both cases: it must be valid for the host of the URL, and signed
    /// by a root certificate of the system, or by one in the file that the environment variable `SSL_CERT_FILE` names.
    /// With any other URL, the connection uses no TLS.
    ///
    /// # Errors
    ///
    /// Fails with [`StoreError::Refused`] for invalid settings, a role or database that does not exist, a missing
    /// permission, tables of a newer claw, or a URL that requires TLS which is not available. Fails with
    /// [`StoreError::Unavailable`] if the server cannot be reached, or if its certificate is not valid.
    pub async fn connect(self) -> Result<Store, StoreError> {
        #[cfg(feature = "tls")]
        if let Some(tls) = self.connector()? {
            return self.connect_with(tls).await;
        }
        self.connect_with(NoTls).await
    }

    /// Returns a connector for TLS, if the URL requires TLS.
    #[cfg(feature = "tls")]
    pub(crate) fn connector(
        &self,
    ) -> Result<Option<tokio_postgres_rustls::MakeRustlsConnect>, StoreError> {
        if self.config()?.get_ssl_mode() != tokio_postgres::config::SslMode::Require {
            return Ok(None);
        }
        let config = claw_tls::client_config().map_err(StoreError::refused)?;
        Ok(Some(tokio_postgres_rustls::MakeRustlsConnect::new(config)))
    }

    /// Connects through a connector of your program, for example of `tokio-postgres-rustls` or `postgres-native-tls`,
    /// which chooses the root certificates to trust. Without `sslmode=require` in the URL the server may decline TLS.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`connect`](Self::connect).
    pub async fn connect_with<T>(self, tls: T) -> Result<Store, StoreError>
    where
        T: MakeTlsConnect<Socket> + Clone + Send + Sync + 'static,
        T::Stream: Send + 'static,
        T::TlsConnect: Send,
        <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
    {
        let store = Store {
            pool: self.pool(tls)?,
            schema: Schema::new(&self.schema)?,
            line_limit: self.line_limit,
            measures: AtomicBool::new(true),
        };
        let deadline = store.pool.deadline();
        let lease = store.pool.lease(deadline).await?;
        store.schema.prepare(&lease, deadline, self.migrate).await?;
        lease.keep();
        Ok(store)
    }

    /// Returns a pool of connections, which are made on demand.
    pub(crate) fn pool<T>(&self, tls: T) -> Result<Pool, StoreError>
    where
        T: MakeTlsConnect<Socket> + Clone + Send + Sync + 'static,
        T::Stream: Send + 'static,
        T::TlsConnect: Send,
        <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
    {
        Ok(Pool::new(
            self.config()?,
            tls,
            self.connections,
            self.timeout,
        ))
    }

    fn config(&self) -> Result<Config, StoreError> {
        // The cause is left out, because it could quote a password.
        let refused = |_| StoreError::refused("the URL of the Postgres server cannot be read");
        let mut config: Config = known_mode(&self.url).parse().map_err(refused)?;
        if config.get_application_name().is_none() {
            config.application_name("claw");
        }
        Ok(config)
    }
}

/// Removes the option `schema` from the query of a URL, because libpq has no such option. Returns the rest of the URL, and
/// the value of the option.
pub(crate) fn without_schema(url: &str) -> (Cow<'_, str>, Option<&str>) {
    const OPTION: &str = "schema=";
    let Some((place, query)) = url.split_once('?') else {
        return (url.into(), None);
    };
    let options = query.split('&');
    let (schemas, others): (Vec<_>, Vec<_>) = options.partition(|it| it.starts_with(OPTION));
    let Some(schema) = schemas.last() else {
        return (url.into(), None);
    };
    let schema = &schema[OPTION.len()..];
    let url = if others.is_empty() {
        place.to_owned()
    } else {
        format!("{place}?{}", others.join("&"))
    };
    (url.into(), Some(schema))
}

/// Replaces libpq's `sslmode=verify-full` in the query of a URL with `require`, which is the strictest mode that
/// tokio-postgres knows. Both verify the certificate here.
fn known_mode(url: &str) -> Cow<'_, str> {
    match url.split_once('?') {
        Some((place, query)) if query.split('&').any(|it| it == VERIFY_FULL) => {
            let query = query.replace(VERIFY_FULL, "sslmode=require");
            format!("{place}?{query}").into()
        }
        _ => url.into(),
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Leaves out the URL, because it contains a password.
        f.debug_struct("Builder")
            .field("schema", &self.schema)
            .field("connections", &self.connections)
            .field("timeout", &self.timeout)
            .field("line_limit", &self.line_limit)
            .field("migrate", &self.migrate)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_can_name_the_schema() {
        for (url, rest, schema) in [
            ("postgres://a@h/d", "postgres://a@h/d", "claw"),
            ("postgres://a@h/d?schema=one", "postgres://a@h/d", "one"),
            (
                "postgres://a@h/d?sslmode=require&schema=one&connect_timeout=3",
                "postgres://a@h/d?sslmode=require&connect_timeout=3",
                "one",
            ),
            (
                "postgres://schema=x@h/d?myschema=y",
                "postgres://schema=x@h/d?myschema=y",
                "claw",
            ),
        ] {
            let builder = Builder::new(url);
            assert_eq!((&*builder.url, &*builder.schema), (rest, schema), "{url}");
        }
        let builder = Builder::new("postgres://a@h/d?schema=one").schema("two");
        assert_eq!(builder.schema, "two");
    }

    #[test]
    fn the_mode_that_verifies_is_known() {
        for (url, known) in [
            (
                "postgres://a@h/d?sslmode=verify-full&connect_timeout=3",
                "postgres://a@h/d?sslmode=require&connect_timeout=3",
            ),
            (
                "postgres://a@h/d?sslmode=disable",
                "postgres://a@h/d?sslmode=disable",
            ),
            (
                "postgres://sslmode=verify-full@h/d",
                "postgres://sslmode=verify-full@h/d",
            ),
        ] {
            assert_eq!(known_mode(url), known);
        }
    }
}
