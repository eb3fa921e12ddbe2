//! The socket on which the server listens for commands of its own user.

use claw_server::{Server, UserSocket};

use crate::escape::escape;
use crate::user_socket::paths;

/// Binds the socket. If this fails, prints the reason and returns `None`. The server then works without the socket.
pub(super) fn bind(server: &Server) -> Option<UserSocket> {
    let path = paths(server.hub().sessions().config_dir())
        .into_iter()
        .next()?;
    match UserSocket::bind(path) {
        Ok(socket) => Some(socket),
        Err(error) => {
            anstream::eprintln!(
                "claw: `claw chat` cannot join this server: {}",
                escape(&error.to_string())
            );
            None
        }
    }
}
