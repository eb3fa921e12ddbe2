//! S3 servers of the tests.

use std::sync::{Arc, Mutex, Weak};

pub(crate) use claw_testkit::server::{BUCKET, Server};

/// A server that tests share which neither stop it nor reach out of their own folder.
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
