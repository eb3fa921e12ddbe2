//! The Redis servers for the tests.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, Weak};

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client};

pub(crate) use claw_testkit::server::{Server, free_address};

/// Returns a server that tests share. Each test uses a prefix of its own and does not stop the server.
pub(crate) fn shared() -> Arc<Server> {
    static SHARED: Mutex<Weak<Server>> = Mutex::new(Weak::new());
    Server::shared(&SHARED, || Server::redis(&[])).expect("a server")
}

pub(crate) fn start(options: &[&str]) -> Server {
    Server::redis(options).expect("a server")
}

/// Returns a connection to the server that does not belong to a store.
pub(crate) async fn client(server: &Server) -> MultiplexedConnection {
    let client = Client::open(server.url()).expect("a client");
    let config = AsyncConnectionConfig::new().set_response_timeout(None);
    let connection = client.get_multiplexed_async_connection_with_config(&config);
    connection.await.expect("a connection")
}

/// Makes the server a cluster of one server.
pub(crate) async fn take_all_slots(server: &Server) {
    let mut client = client(server).await;
    let mut take = redis::cmd("CLUSTER");
    take.arg("ADDSLOTSRANGE").arg(0).arg(16383);
    let () = take.query_async(&mut client).await.expect("its slots");
    loop {
        let mut info = redis::cmd("CLUSTER");
        let info: String = info
            .arg("INFO")
            .query_async(&mut client)
            .await
            .expect("its state");
        if info.contains("cluster_state:ok") {
            return;
        }
    }
}

pub(crate) fn url(address: SocketAddr) -> String {
    format!("redis://{address}")
}
