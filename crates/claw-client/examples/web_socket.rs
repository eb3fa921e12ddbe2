//! A web server that holds a session for each web socket. Each message from the browser is a
//! prompt. Each line from claude is sent to the browser unchanged.
//!
//! Run `cargo run -p claw-client --example web_socket`, then open the page whose address it prints.
//!
//! Everyone who can connect can run claude. So the server listens only on the loopback address, and
//! accepts web sockets only from its own page.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example prints"
)]

use std::error::Error;

use axum::Router;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::http::{HeaderMap, StatusCode, header::ORIGIN};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use claw_client::{QueryOptions, Session};
use tokio::net::TcpListener;

/// A page that prints the lines.
const PAGE: &str = "<!doctype html><title>claw</title><input autofocus size=80><pre></pre><script>
const socket = new WebSocket(`ws://${location.host}/ws`), [input, out] = document.body.children;
socket.onmessage = line => out.append(line.data + '\\n');
input.onchange = () => { socket.send(input.value); input.value = ''; };
</script>";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1);
    let listener = TcpListener::bind(address.as_deref().unwrap_or("127.0.0.1:3000")).await?;
    let origin = format!("http://{}", listener.local_addr()?);
    println!("{origin}");
    let app = Router::new()
        .route("/", get(|| async { Html(PAGE) }))
        .route("/ws", get(open))
        .with_state(origin);
    axum::serve(listener, app).await?;
    Ok(())
}

/// Without a look at the origin, any page in the browser could open a socket here.
async fn open(
    State(origin): State<String>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    if headers.get(ORIGIN).is_none_or(|value| *value != *origin) {
        return StatusCode::FORBIDDEN.into_response();
    }
    upgrade.on_upgrade(serve)
}

async fn serve(socket: WebSocket) {
    if let Err(error) = relay(socket).await {
        eprintln!("{error}");
    }
}

/// Until either side ends it. A dropped session ends its process.
async fn relay(mut socket: WebSocket) -> Result<(), Box<dyn Error>> {
    let options = QueryOptions::default().include_partial_messages(true);
    let session = Session::builder(options).connect().await?;
    let mut messages = session.messages()?;
    loop {
        tokio::select! {
            received = socket.recv() => match received.transpose()? {
                // Its turn is not needed: all messages come below.
                Some(Message::Text(prompt)) => drop(session.send(prompt.as_str()).await?),
                Some(Message::Close(_)) | None => break,
                Some(_) => {}
            },
            item = messages.next_frame() => match item.transpose()? {
                // A line that cannot be read is of no use to the browser.
                Some(item) => if let Some(frame) = item.into_frame() {
                    let line = frame.raw().map(|raw| String::from_utf8_lossy(raw).into_owned());
                    socket.send(Message::Text(line.unwrap_or_default().into())).await?;
                },
                None => break,
            },
        }
    }
    session.close().await?;
    Ok(())
}
