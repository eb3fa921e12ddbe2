//! The stores that are servers, on loopback. They keep on the disk what they have answered for.

use std::io;

use claw_testkit::server::Server;

/// A store that is a server.
pub(super) struct Served {
    pub(super) name: &'static str,
    /// What [`super::open`] takes.
    pub(super) url: String,
    /// The drop ends it.
    _server: Server,
}

/// All that are installed here, and why the others are not there.
pub(super) fn all() -> (Vec<Served>, Vec<(&'static str, io::Error)>) {
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for (name, server) in [
        ("PostgresStore", Server::postgres(&[])),
        ("RedisStore", Server::redis(&[])),
        ("BucketStore", Server::s3(0)),
    ] {
        match server {
            Ok(server) => found.push(Served {
                name,
                url: match name {
                    "BucketStore" => format!("bucket:{}", server.address()),
                    _ => server.url().to_owned(),
                },
                _server: server,
            }),
            Err(error) => missing.push((name, error)),
        }
    }
    (found, missing)
}
