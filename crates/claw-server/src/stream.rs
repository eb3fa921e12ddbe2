//! The listeners of a server, and their connections.

use std::io;
#[cfg(feature = "notify")]
use std::net::IpAddr;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::extract::ConnectInfo;
use axum::http::Extensions;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
#[cfg(unix)]
use tokio::net::UnixStream;
use tokio::net::{TcpListener, TcpStream};

#[cfg(unix)]
use crate::user_socket::{SocketPeer, UserSocket};

/// The listeners of a server.
pub(crate) struct Listeners {
    pub(crate) tcp: TcpListener,
    /// The Unix socket for programs of the server's user.
    #[cfg(unix)]
    pub(crate) socket: Option<UserSocket>,
}

impl Listeners {
    pub(crate) fn of(tcp: TcpListener) -> Self {
        Self {
            tcp,
            #[cfg(unix)]
            socket: None,
        }
    }

    /// Accepts the next connection. Cancel safe.
    #[cfg(unix)]
    pub(crate) async fn accept(&self) -> io::Result<(Stream, Peer)> {
        let Some(socket) = &self.socket else {
            return self.accept_tcp().await;
        };
        tokio::select! {
            accepted = self.accept_tcp() => accepted,
            accepted = socket.accept() => {
                let (stream, peer) = accepted?;
                Ok((Stream::Unix(stream), Peer::Process(peer)))
            }
        }
    }

    /// Accepts the next connection. Cancel safe.
    #[cfg(not(unix))]
    pub(crate) async fn accept(&self) -> io::Result<(Stream, Peer)> {
        self.accept_tcp().await
    }

    async fn accept_tcp(&self) -> io::Result<(Stream, Peer)> {
        let (stream, peer) = self.tcp.accept().await?;
        // Events are small, and viewers wait for each of them. So the system must not delay small packets.
        let _ = stream.set_nodelay(true);
        Ok((Stream::Tcp(stream), Peer::Address(peer)))
    }
}

/// The client at the other end of a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Peer {
    Address(SocketAddr),
    /// A process of the server's user.
    #[cfg(unix)]
    Process(SocketPeer),
}

impl Peer {
    /// Returns whether the connection may come from another machine, directly or through a proxy on this machine. Only
    /// a connection over the Unix socket cannot.
    #[cfg(feature = "notify")]
    pub(crate) fn is_elsewhere(self) -> bool {
        matches!(self, Self::Address(_))
    }

    /// Adds the peer to the extensions of a request.
    pub(crate) fn add_to(self, extensions: &mut Extensions) {
        match self {
            // axum's own server adds the same value for programs that request it. So handlers find the address in the same way
            // with both servers.
            Self::Address(address) => extensions.insert(ConnectInfo(address)).map(drop),
            #[cfg(unix)]
            Self::Process(peer) => extensions.insert(peer).map(drop),
        };
    }
}

/// A connection.
pub(crate) enum Stream {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

#[cfg(feature = "notify")]
impl Stream {
    /// Returns the address of this machine that the client has connected to. Returns `None` for the Unix socket.
    pub(crate) fn own_ip(&self) -> Option<IpAddr> {
        match self {
            Self::Tcp(stream) => stream.local_addr().ok().map(|address| address.ip()),
            #[cfg(unix)]
            Self::Unix(_) => None,
        }
    }

    /// Waits for bytes, and copies them without removing them from the stream. Returns 0 for the Unix socket, because
    /// its bytes are never peeked at. Cancel safe.
    pub(crate) async fn peek(&self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.peek(buffer).await,
            #[cfg(unix)]
            Self::Unix(_) => Ok(0),
        }
    }
}

/// Calls a method of the stream that the enum contains.
macro_rules! on_stream {
    ($self:ident, $method:ident, $($argument:expr),+) => {
        match $self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).$method($($argument),+),
            #[cfg(unix)]
            Self::Unix(stream) => Pin::new(stream).$method($($argument),+),
        }
    };
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        on_stream!(self, poll_read, cx, buffer)
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        on_stream!(self, poll_write, cx, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        on_stream!(self, poll_write_vectored, cx, parts)
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Self::Tcp(stream) => stream.is_write_vectored(),
            #[cfg(unix)]
            Self::Unix(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        on_stream!(self, poll_flush, cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        on_stream!(self, poll_shutdown, cx)
    }
}
