//! Postgres servers of the tests.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, Weak};

use tokio_postgres::{Client, NoTls};

pub(crate) use claw_testkit::server::{Server, command, folder, free_address};

/// A server that tests share which neither stop it nor reach out of their own schema.
pub(crate) fn shared() -> Arc<Server> {
    static SHARED: Mutex<Weak<Server>> = Mutex::new(Weak::new());
    Server::shared(&SHARED, || Ok(start())).expect("a server")
}

pub(crate) fn start() -> Server {
    Server::postgres(&["-F", "-c", "max_connections=200"]).expect("a server")
}

/// A connection that is not the store's.
pub(crate) async fn client(server: &Server) -> Client {
    connect(server.url()).await.expect("a connection")
}

pub(crate) async fn connect(url: &str) -> Result<Client, tokio_postgres::Error> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

pub(crate) fn url(address: SocketAddr) -> String {
    format!("postgres://claw:secret-of-tests@{address}/postgres")
}
