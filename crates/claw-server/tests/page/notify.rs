//! A server for `notify.mjs`: sessions that ask, and pages that are told of it.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::routing::post;
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use claw_client::Session;
use claw_server::{Authority, Project, Server, Tls};
use claw_sessions::Sessions;
use claw_testkit::Block;
use claw_testkit::agent::{Agent, Script, Step};
use claw_testkit::api::Api;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::server::ParsedCertificate;
use rustls::{ClientConfig, RootCertStore};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsConnector;

use crate::scripts;
use crate::stage::real;

/// Everything that has to stay while the script runs.
pub(crate) struct Stage {
    folder: TempDir,
    _api: Api,
    pub(crate) address: SocketAddr,
    pub(crate) director: SocketAddr,
}

/// Asks in each turn.
fn asks() -> Script {
    Script::new([Step::Turns(vec![
        Step::message([Block::tool_use("Bash", json!({"command": "cargo test"}))]),
        Step::permission(
            [
                Step::tool_result("ok"),
                Step::message([Block::text("It passes.")]),
            ],
            [Step::message([Block::text("Then not.")])],
        ),
    ])])
}

pub(crate) async fn stage() -> Stage {
    let folder = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let agent = Agent::new(asks());
    let mut builder = Server::builder().sessions(Sessions::new(folder.path().join("config")));
    for project in ["claw", "shop", "real"] {
        let path = folder.path().join(project);
        std::fs::create_dir(&path).unwrap();
        builder = builder.project(Project::new(path).unwrap());
    }
    let authority = Authority::open(folder.path().join("tls"), "desk", &[]).unwrap();
    let api = Api::start(scripts::api(Vec::new())).await.unwrap();
    let (root, env) = (folder.path().to_owned(), api.env());
    let server = builder
        .tls(Tls::local(authority, []).unwrap())
        .may_push_to_loopback()
        .session(move |options| {
            let folder = options.cwd.as_ref();
            if folder.is_some_and(|folder| folder.ends_with("real")) {
                return Session::builder(real(options, &root, &env));
            }
            Session::builder(options).transport(agent.clone())
        })
        .build()
        .unwrap();
    let serving = server.clone();
    tokio::spawn(async move { serving.serve(listener, std::future::pending()).await });
    let directing = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let director = directing.local_addr().unwrap();
    let router = Router::new()
        .route("/{what}", post(direct))
        .with_state((server, folder.path().join("real/made")));
    tokio::spawn(async move { axum::serve(directing, router).await });
    Stage {
        folder,
        _api: api,
        address,
        director,
    }
}

/// What the script wants.
async fn direct(
    State((server, made)): State<(Server, PathBuf)>,
    Path(what): Path<String>,
) -> Json<Value> {
    Json(match &*what {
        "made" => json!(made.exists()),
        "login" => json!(server.login_path()),
        "devices" => {
            let config = server.hub().sessions().projects().clone();
            let file = config.with_file_name("claw").join("push/subscriptions");
            let text = std::fs::read_to_string(file).unwrap_or_default();
            let all: Value = serde_json::from_str(&text).unwrap_or_default();
            json!(all.as_array().map_or(0, Vec::len))
        }
        _ => panic!("nobody can {what}"),
    })
}

/// The SHA-256 of the server's public key, in base64. It stands for the authority in the browser's store.
pub(crate) async fn pin(stage: &Stage) -> String {
    let authority = stage.folder.path().join("tls/authority.crt");
    let mut roots = RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_file(authority).unwrap())
        .unwrap();
    let provider = Arc::new(claw_tls::provider().unwrap());
    let config = ClientConfig::builder_with_provider(provider);
    let config = config.with_safe_default_protocol_versions().unwrap();
    let config = config.with_root_certificates(roots).with_no_client_auth();
    let stream = TcpStream::connect(stage.address).await.unwrap();
    let name = ServerName::try_from("127.0.0.1").unwrap();
    let connector = TlsConnector::from(Arc::new(config));
    let stream = connector.connect(name, stream).await.unwrap();
    let leaf = &stream.get_ref().1.peer_certificates().unwrap()[0];
    let key = ParsedCertificate::try_from(leaf)
        .unwrap()
        .subject_public_key_info();
    STANDARD.encode(Sha256::digest(key))
}
