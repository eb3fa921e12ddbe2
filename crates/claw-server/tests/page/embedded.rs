//! A server under a path, for `embedded.mjs`: in the router of another program, and behind a proxy that removes the path.

use std::net::SocketAddr;

use axum::Router;
use axum::response::Html;
use axum::routing::get;
use claw_client::Session;
use claw_server::{Project, PublicUrl, Server};
use claw_sessions::Sessions;
use claw_testkit::Block;
use claw_testkit::agent::{Agent, Script, Step};
use tempfile::TempDir;
use tokio::net::TcpListener;

use crate::director::directed;

/// How the page comes to be under the path.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place {
    /// `router_at` in another router.
    Router,
    /// `nest` of another router.
    Nested,
    /// `public_url` with a path, which a proxy removes.
    Proxy,
}

/// Everything that has to stay while the script runs.
pub(crate) struct Stage {
    _folder: TempDir,
    pub(crate) address: SocketAddr,
    pub(crate) director: SocketAddr,
}

pub(crate) async fn stage(place: Place) -> Stage {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("shop");
    std::fs::create_dir(&project).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let agent = Agent::new(Script::new([Step::Turns(vec![Step::message([
        Block::text("Half of it, and the rest.").hold(2, "half"),
    ])])]));
    let of_session = agent.clone();
    let mut builder = Server::builder()
        .project(Project::new(&project).unwrap())
        .sessions(Sessions::new(folder.path().join("config")))
        .session(move |options| Session::builder(options).transport(of_session.clone()));
    if let Place::Proxy = place {
        let public = PublicUrl::new(&format!("http://{address}/agents")).unwrap();
        builder = builder.public_url(public);
    }
    let server = builder.build().unwrap();
    let own = Router::new().route(
        "/",
        get(async || Html("<title>Mine</title>My application.")),
    );
    let app = match place {
        Place::Router => own.merge(server.router_at("/agents")),
        Place::Nested | Place::Proxy => own.nest("/agents", server.router()),
    };
    tokio::spawn(async move { axum::serve(listener, app).await });
    let director = directed(server, agent).await;
    Stage {
        _folder: folder,
        address,
        director,
    }
}
