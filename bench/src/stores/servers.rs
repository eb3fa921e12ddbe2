//! The stores that are servers, on loopback. They answer a write only when it is on the disk.

use std::io;

use claw_testkit::server::Server;

/// A store that is a server.
pub(crate) struct Served {
    pub(crate) name: &'static str,
    /// The URL for [`super::open`].
    pub(crate) url: String,
    /// Dropping the value ends the server.
    _server: Server,
}

/// All servers that are installed here, and the reasons why the others are missing.
pub(crate) fn all() -> (Vec<Served>, Vec<(&'static str, io::Error)>) {
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for (name, server) in [
        ("claw-store-postgres", Server::postgres(&[])),
        ("claw-store-redis", Server::redis(&[])),
        ("claw-store-bucket", Server::s3(0)),
    ] {
        match server {
            Ok(server) => found.push(Served {
                name,
                url: match name {
                    "claw-store-bucket" => format!("bucket:{}", server.address()),
                    _ => server.url().to_owned(),
                },
                _server: server,
            }),
            Err(error) => missing.push((name, error)),
        }
    }
    (found, missing)
}
