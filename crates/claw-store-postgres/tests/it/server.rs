//! The Postgres servers for the tests.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, Weak};

use tokio_postgres::{Client, NoTls};

pub(crate) use claw_testkit::server::{Server, command, folder, free_address};

/// Returns a server that tests share. Each test uses a schema of its own and does not stop the server.
pub(crate) fn shared() -> Arc<Server> {
    static SHARED: Mutex<Weak<Server>> = Mutex::new(Weak::new());
    Server::shared(&SHARED, || Ok(start())).expect("a server")
}

pub(crate) fn start() -> Server {
    Server::postgres(&["-F", "-c", "max_connections=200"]).expect("a server")
}

/// Returns a connection to the server that does not belong to a store.
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
