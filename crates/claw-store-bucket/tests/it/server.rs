//! The S3 servers for the tests.

use std::sync::{Arc, Mutex, Weak};

pub(crate) use claw_testkit::server::{BUCKET, Server};

/// Returns a server that tests share. Each test uses a folder of its own and does not stop the server.
pub(crate) fn shared() -> Arc<Server> {
    static SHARED: Mutex<Weak<Server>> = Mutex::new(Weak::new());
    Server::shared(&SHARED, || Server::s3(0)).expect("a server")
}

pub(crate) fn start_with_clock_ahead(seconds: i64) -> Server {
    Server::s3(seconds).expect("a server")
}

pub(crate) fn start() -> Server {
    start_with_clock_ahead(0)
}
