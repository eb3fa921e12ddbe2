//! Connections with TLS. The certificates in `tls/` are of these tests alone, and valid until 2126.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use claw_server::{ServerBuilder, Tls, TlsSetupError};
use claw_testkit::agent::Script;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use serde_json::json;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tracing::Level;

use crate::client::{KEY, Response, Running, soon};
use crate::faults::Row;
use crate::metrics::Log;

/// The two certificates with their keys.
const NAMES: &[&str] = &["first", "second"];

fn there(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/tls");
    folder.join(name)
}

/// A file that only the user can read.
fn write(path: &Path, text: impl AsRef<[u8]>) {
    let mut file = claw_client::transport::create_private_file(path).unwrap();
    std::io::Write::write_all(&mut file, text.as_ref()).unwrap();
}

/// The files of a certificate in a folder, under names that stay when the certificate is replaced.
fn put(folder: &Path, name: &str) -> (PathBuf, PathBuf) {
    let files = (folder.join("tls.crt"), folder.join("tls.key"));
    write(&files.0, fs::read(there(&format!("{name}.crt"))).unwrap());
    write(&files.1, fs::read(there(&format!("{name}.key"))).unwrap());
    files
}

fn certificate(name: &str) -> CertificateDer<'static> {
    CertificateDer::from_pem_file(there(&format!("{name}.crt"))).unwrap()
}

async fn start(change: impl FnOnce(ServerBuilder) -> ServerBuilder) -> Running {
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = put(folder.path(), "first");
    let tls = Tls::open(certificate, key).unwrap();
    let script = Script::reply("Good.");
    Running::start_in(script, folder, |builder| change(builder.tls(tls))).await
}

/// A client that trusts both certificates and nothing else, for the names in them.
fn client() -> TlsConnector {
    let mut roots = RootCertStore::empty();
    for name in NAMES {
        roots.add(certificate(name)).unwrap();
    }
    let provider = Arc::new(claw_tls::provider().unwrap());
    let config = ClientConfig::builder_with_provider(provider);
    let config = config.with_safe_default_protocol_versions().unwrap();
    let mut config = config.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    TlsConnector::from(Arc::new(config))
}

async fn connect(running: &Running) -> TlsStream<TcpStream> {
    let stream = TcpStream::connect(running.address).await.unwrap();
    let name = ServerName::try_from("127.0.0.1").unwrap();
    soon(client().connect(name, stream)).await.unwrap()
}

/// The response to a request as it is written.
async fn raw(running: &Running, request: &str) -> Response {
    let mut stream = connect(running).await;
    stream.write_all(request.as_bytes()).await.unwrap();
    soon(Response::read(stream)).await
}

async fn get(running: &Running, path: &str) -> Response {
    let head = running.head("GET", path);
    raw(running, &format!("{head}Connection: close\r\n\r\n")).await
}

/// A login by its link, from a page of this origin.
fn login(running: &Running, path: &str, scheme: &str) -> String {
    let host = running.address;
    format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: {scheme}://{host}\r\n{KEY}Content-Length: 0\r\nConnection: close\r\n\r\n"
    )
}

#[tokio::test]
async fn requests_events_and_sockets_pass_by_tls() {
    let running = start(|builder| builder).await;
    let stream = connect(&running).await;
    let (_, session) = stream.get_ref();
    assert_eq!(session.alpn_protocol(), Some(&b"http/1.1"[..]));
    let new = json!({"project": "shop"}).to_string();
    let head = running.head("POST", "/api/sessions");
    let length = new.len();
    let response = raw(
        &running,
        &format!("{head}Content-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{new}"),
    )
    .await;
    assert_eq!(response.status, 201, "{}", response.body);
    let id = response.json()["id"].as_str().unwrap().to_owned();

    let mut events = BufReader::new(connect(&running).await);
    let head = running.head("GET", &format!("/api/sessions/{id}/events"));
    events
        .write_all(format!("{head}\r\n").as_bytes())
        .await
        .unwrap();
    let mut line = String::new();
    while !line.starts_with("event: ") {
        line.clear();
        assert_ne!(soon(events.read_line(&mut line)).await.unwrap(), 0);
    }

    let mut socket = BufReader::new(connect(&running).await);
    let head = running.head("GET", &format!("/api/sessions/{id}/socket"));
    let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                   Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    socket
        .write_all(format!("{head}{upgrade}").as_bytes())
        .await
        .unwrap();
    line.clear();
    soon(socket.read_line(&mut line)).await.unwrap();
    assert!(line.starts_with("HTTP/1.1 101"), "{line}");
    while line != "\r\n" {
        line.clear();
        assert_ne!(soon(socket.read_line(&mut line)).await.unwrap(), 0);
    }
    // A whole message of text.
    assert_eq!(soon(socket.read_u8()).await.unwrap(), 0x81);
    running.end().await;
}

#[tokio::test]
async fn a_login_by_tls_has_a_cookie_for_tls_alone() {
    let running = start(|builder| builder).await;
    let link = running.server.login_path();
    // A page that came without TLS can be anybody's.
    let refused = raw(&running, &login(&running, &link, "http")).await;
    assert_eq!(refused.status, 403, "{}", refused.body);
    let response = raw(&running, &login(&running, &link, "https")).await;
    assert_eq!(response.status, 204, "{}", response.body);
    let cookie = response.header("set-cookie").unwrap();
    assert!(cookie.ends_with("; Secure"), "{cookie}");
    running.end().await;
}

#[tokio::test]
async fn nothing_secret_is_accepted_without_tls() {
    let running = start(|builder| builder).await;
    let (link, host) = (running.server.login_path(), running.address);
    let refused = running.raw(&login(&running, &link, "http")).await;
    assert_eq!(refused.status, 403, "{}", refused.body);
    assert_eq!(refused.header("set-cookie"), None);
    assert_eq!(refused.json()["error"]["kind"], "https");
    // A token is of no use, and neither is a cookie.
    let cookie = raw(&running, &login(&running, &link, "https"))
        .await
        .cookie();
    for headers in [
        format!(
            "Authorization: Bearer {}\r\n",
            running.server.token().expose()
        ),
        format!("Cookie: {cookie}\r\n{KEY}"),
    ] {
        let request = format!(
            "GET /api/sessions HTTP/1.1\r\nHost: {host}\r\n{headers}Connection: close\r\n\r\n"
        );
        let refused = running.raw(&request).await;
        assert_eq!(refused.status, 403, "{}", refused.body);
        let message = refused.json()["error"]["message"].to_string();
        assert!(message.contains(&format!("https://{host}")), "{message}");
        assert_eq!(raw(&running, &request).await.status, 200);
    }
    // A browser is redirected, without the code of a link that it has revealed.
    let page = format!(
        "GET {link} HTTP/1.1\r\nHost: {host}\r\nAccept: text/html,*/*\r\nConnection: close\r\n\r\n"
    );
    let redirect = running.raw(&page).await;
    assert_eq!(redirect.status, 307, "{}", redirect.body);
    assert_eq!(
        redirect.header("location"),
        Some(&*format!("https://{host}/"))
    );
    let other = page.replace(&host.to_string(), "evil.example");
    assert_eq!(running.raw(&other).await.status, 403);
    running.end().await;
}

#[tokio::test]
async fn a_renewed_certificate_is_used() {
    let running = start(|builder| builder).await;
    let used = async || {
        let stream = connect(&running).await;
        stream.get_ref().1.peer_certificates().unwrap()[0].clone()
    };
    assert_eq!(used().await, certificate("first"));
    put(running.folder.path(), "second");
    soon(async {
        while used().await != certificate("second") {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(get(&running, "/health").await.status, 200);
    running.end().await;
}

#[test]
fn a_certificate_stays_while_its_file_cannot_be_read() {
    let row = Row::of("a certificate cannot be read");
    let log = Log::new(Level::WARN);
    Log::runtime().block_on(async {
        let running = start(|builder| builder).await;
        let file = running.folder.path().join("tls.crt");
        write(&file, "no certificate");
        let message = "the certificate stays as it was";
        soon(async {
            while !log.text().contains(message) {
                // The file is read again when a client connects.
                drop(connect(&running).await);
            }
        })
        .await;
        row.is_logged(&log, &format!("{message} …")).await;
        let stream = connect(&running).await;
        let used = stream.get_ref().1.peer_certificates().unwrap();
        assert_eq!(used[0], certificate("first"));
        running.end().await;
    });
    let text = log.end();
    assert!(text.contains("tls.crt: it has no certificate"), "{text}");
}

#[tokio::test]
async fn handshakes_that_never_end_starve_nobody() {
    const MOST: usize = 4;
    let running = start(|builder| {
        builder.connections(|connections| {
            connections.most = MOST;
            connections.head = Duration::from_secs(2);
        })
    })
    .await;
    let mut open = Vec::new();
    for _ in 0..5 * MOST {
        let mut stream = TcpStream::connect(running.address).await.unwrap();
        // The first bytes of a handshake.
        stream.write_all(&[0x16, 3, 1, 2, 0]).await.unwrap();
        open.push(stream);
    }
    assert_eq!(get(&running, "/health").await.status, 200);
    // Nothing is sent at all.
    for _ in 0..5 * MOST {
        open.push(TcpStream::connect(running.address).await.unwrap());
    }
    assert_eq!(get(&running, "/health").await.status, 200);
    // Each of them is closed in time.
    for mut stream in open {
        let mut rest = Vec::new();
        let _ = soon(stream.read_to_end(&mut rest)).await;
        assert_eq!(rest, b"");
    }
    // What is no handshake, in spite of its first byte, is closed.
    let mut stream = TcpStream::connect(running.address).await.unwrap();
    stream.write_all(&[0x16; 600]).await.unwrap();
    let _ = soon(stream.read_to_end(&mut Vec::new())).await;
    assert_eq!(get(&running, "/health").await.status, 200);
    running.end().await;
}

#[tokio::test]
async fn a_bad_file_is_named() {
    let folder = TempDir::new().unwrap();
    let refused = |certificate: &Path, key: &Path| {
        let error = Tls::open(certificate, key).unwrap_err();
        assert!(!matches!(error, TlsSetupError::Unavailable(_)));
        error.to_string()
    };
    let (certificate, key) = put(folder.path(), "first");
    let (certificate_name, key_name) = (certificate.display(), key.display());
    Tls::open(&certificate, &key).unwrap();

    let text = refused(&folder.path().join("none"), &key);
    assert!(text.contains("/none: "), "{text}");
    assert!(refused(folder.path(), &key).contains("not a regular file"));
    assert_eq!(
        refused(&key, &key),
        format!("{key_name}: it has no certificate in PEM")
    );
    assert_eq!(
        refused(&certificate, &certificate),
        format!("{certificate_name}: it has no private key in PEM without a password")
    );
    write(&key, fs::read(there("second.key")).unwrap());
    assert_eq!(
        refused(&certificate, &key),
        format!("{key_name}: the key is not that of the certificate in {certificate_name}")
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        put(folder.path(), "first");
        for (mode, is_accepted) in [(0o600, true), (0o640, true), (0o644, false), (0o660, false)] {
            fs::set_permissions(&key, fs::Permissions::from_mode(mode)).unwrap();
            let opened = Tls::open(&certificate, &key);
            assert_eq!(opened.is_ok(), is_accepted, "{mode:o} {opened:?}");
        }
        let text = refused(&certificate, &key);
        assert!(
            text.contains("other users can read or change the key"),
            "{text}"
        );
    }
}
