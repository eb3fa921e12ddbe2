//! What a page's script asks of the test that runs it: to open a gate, a way to log in, and what the agent has received.

use std::net::SocketAddr;

use axum::extract::{Path, State};
use axum::routing::post;
use axum::{Json, Router};
use claw_server::Server;
use claw_testkit::agent::Agent;
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// Serves the routes of a director for a server with one agent. Returns their address.
pub(crate) async fn directed(server: Server, agent: Agent) -> SocketAddr {
    let director = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = director.local_addr().unwrap();
    let router = Router::new().route("/{what}", post(direct));
    let router = router.with_state((server, agent));
    tokio::spawn(async move { axum::serve(director, router).await });
    address
}

async fn direct(
    State((server, agent)): State<(Server, Agent)>,
    Path(what): Path<String>,
    Json(body): Json<Value>,
) -> Json<Value> {
    Json(match &*what {
        "open" => {
            agent.gates().open(body.as_str().unwrap_or_default());
            Value::Null
        }
        "login" => json!(server.login_path()),
        "received" => Value::from(agent.received()),
        _ => panic!("nobody can {what}"),
    })
}
