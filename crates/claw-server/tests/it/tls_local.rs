//! Connections with TLS by the authority of the machine.

use std::fs;
use std::sync::Arc;

use claw_server::{Authority, Tls};
use claw_testkit::agent::Script;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::client::{Response, Running, soon};

fn open(folder: &TempDir) -> Authority {
    Authority::open(
        folder.path().join("tls"),
        "Desk_top",
        &["192.0.2.7".parse().unwrap()],
    )
    .unwrap()
}

/// A client that trusts this authority and nothing else.
fn client(authority: &[u8]) -> TlsConnector {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(authority.to_vec())).unwrap();
    let provider = Arc::new(claw_tls::provider().unwrap());
    let config = ClientConfig::builder_with_provider(provider);
    let config = config.with_safe_default_protocol_versions().unwrap();
    let config = config.with_root_certificates(roots).with_no_client_auth();
    TlsConnector::from(Arc::new(config))
}

/// The response to a request as it is written, or the error of the handshake.
async fn ask(
    running: &Running,
    authority: &[u8],
    name: &str,
    request: &str,
) -> std::io::Result<Response> {
    let stream = TcpStream::connect(running.address).await.unwrap();
    let name = ServerName::try_from(name.to_owned()).unwrap();
    let mut stream = soon(client(authority).connect(name, stream)).await?;
    stream.write_all(request.as_bytes()).await.unwrap();
    Ok(soon(Response::read(stream)).await)
}

#[test]
fn an_authority_is_made_once_and_only_its_user_can_read_it() {
    let folder = TempDir::new().unwrap();
    let first = open(&folder);
    assert!(
        first.name().starts_with("claw on desktop, 20"),
        "{}",
        first.name()
    );
    assert_eq!(first.fingerprint().len(), 32 * 3 - 1);
    let file = folder.path().join("tls/authority.pem");
    assert_eq!(open(&folder).certificate(), first.certificate());
    assert!(!format!("{first:?}").contains(first.name()));
    // The file for programs has no key.
    let public = fs::read_to_string(file.with_extension("crt")).unwrap();
    assert!(public.contains("BEGIN CERTIFICATE") && !public.contains("KEY"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(
            fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o600
        );
        let own = fs::metadata(file.parent().unwrap()).unwrap();
        assert_eq!(own.permissions().mode() & 0o777, 0o700);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        let error = Authority::open(folder.path().join("tls"), "x", &[]).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("authority.pem: other users can read"),
            "{error}"
        );
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    }
    fs::write(&file, "nothing").unwrap();
    let error = Authority::open(folder.path().join("tls"), "x", &[]).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("authority.pem: it has no key with the certificate of an authority"),
        "{error}"
    );
}

#[test]
fn an_authority_permits_private_addresses_and_the_machine_alone() {
    let folder = TempDir::new().unwrap();
    let authority = open(&folder);
    for (name, is_permitted) in [
        ("192.168.1.5", true),
        ("10.255.0.1", true),
        ("172.31.0.1", true),
        ("172.32.0.1", false),
        ("100.101.102.103", true),
        ("192.0.2.7", true),
        ("192.0.2.8", false),
        ("8.8.8.8", false),
        ("::1", true),
        ("[fd00::1]", true),
        ("2001:db8::1", false),
        ("localhost", true),
        // All names below it would be permitted, and it may be a domain of the internet.
        ("desktop", false),
        ("www.desktop", false),
        ("DESKTOP.local", true),
        ("other.local", false),
        ("example.org", false),
        ("", false),
    ] {
        assert_eq!(authority.permits(name), is_permitted, "{name}");
    }
    let error = Tls::local(authority, ["192.168.1.5", "example.org"]).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("this authority is not for example.org"),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_that_trusts_the_authority_connects_by_the_names_of_the_server() {
    let folder = TempDir::new().unwrap();
    let authority = open(&folder);
    let trusted = authority.certificate().to_vec();
    let other = TempDir::new().unwrap();
    let other = open(&other).certificate().to_vec();
    let tls = Tls::local(authority, ["192.168.1.5"]).unwrap();
    let running = Running::start_as(Script::reply("Good."), |builder| builder.tls(tls)).await;
    let request = format!(
        "{}Connection: close\r\n\r\n",
        running.head("GET", "/health")
    );
    for name in ["127.0.0.1", "localhost", "192.168.1.5"] {
        let response = ask(&running, &trusted, name, &request).await.unwrap();
        assert_eq!(response.status, 200, "{name}");
    }
    // A name that the certificate has not, and another authority of the same name.
    assert!(
        ask(&running, &trusted, "192.168.1.6", &request)
            .await
            .is_err()
    );
    assert!(ask(&running, &other, "127.0.0.1", &request).await.is_err());

    running.end().await;
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn openssl_accepts_the_certificates_for_the_names_of_the_server() {
    let folder = TempDir::new().unwrap();
    let authority = open(&folder);
    let trusted = authority.certificate().to_vec();
    let tls = Tls::local(authority, ["192.168.1.5"]).unwrap();
    let running = Running::start_as(Script::reply("Good."), |builder| builder.tls(tls)).await;
    let stream = TcpStream::connect(running.address).await.unwrap();
    let name = ServerName::try_from("127.0.0.1").unwrap();
    let stream = soon(client(&trusted).connect(name, stream)).await.unwrap();
    let leaf = stream.get_ref().1.peer_certificates().unwrap()[0].clone();
    let file = folder.path().join("leaf.der");
    fs::write(&file, &leaf).unwrap();
    let accepts = |option: &str, name: &str| {
        let mut command = std::process::Command::new("openssl");
        command.args(["verify", "-x509_strict", "-purpose", "sslserver", "-CAfile"]);
        command.arg(folder.path().join("tls/authority.crt"));
        command.args([option, name]).arg(&file);
        command.output().expect("OpenSSL is there").status.success()
    };
    assert!(accepts("-verify_ip", "192.168.1.5"));
    assert!(accepts("-verify_hostname", "localhost"));
    assert!(!accepts("-verify_ip", "192.168.1.6"));
    running.end().await;
}

#[tokio::test]
async fn a_new_device_finds_the_steps_and_the_certificate_and_no_secret_without_tls() {
    let folder = TempDir::new().unwrap();
    let authority = open(&folder);
    let (trusted, fingerprint) = (authority.certificate().to_vec(), authority.fingerprint());
    let tls = Tls::local(authority, []).unwrap();
    let running = Running::start_as(Script::reply("Good."), |builder| builder.tls(tls)).await;
    let (link, host) = (running.server.login_path(), running.address);
    let get = async |path: &str, accept: &str| {
        let token = running.server.token().expose();
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nAccept: {accept}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
        );
        running.raw(&request).await
    };
    for path in ["/", &link, "/s/x"] {
        let page = get(path, "text/html").await;
        assert_eq!(page.status, 200, "{path}");
        // The page has no fingerprint: an attacker who replaces the certificate on its way can replace the page too.
        assert!(!page.body.contains(&fingerprint), "{}", page.body);
        assert!(page.body.contains("SHA-256") && page.body.contains("Certificate Trust Settings"));
        assert!(
            page.body.contains(&format!("href=\"https://{host}/\"")),
            "{}",
            page.body
        );
        assert!(!page.body.contains(&link) && page.header("set-cookie").is_none());
        assert_eq!(page.header("cache-control"), Some("no-store"));
    }
    let certificate = get("/claw-ca.crt", "*/*").await;
    assert_eq!(
        certificate.header("content-type"),
        Some("application/x-x509-ca-cert")
    );
    assert_eq!(
        certificate.header("content-length"),
        Some(&*trusted.len().to_string())
    );
    assert_eq!(
        get("/api/sessions", "*/*").await.json()["error"]["kind"],
        "https"
    );
    let stolen = running.follow(&link).await;
    assert_eq!(stolen.status, 403, "{}", stolen.body);
    // The page has no other name than those of the server in its link.
    let request =
        "GET / HTTP/1.1\r\nHost: evil.example\r\nAccept: text/html\r\nConnection: close\r\n\r\n";
    assert_eq!(running.raw(request).await.status, 403);
    // The link still works.
    let request = format!(
        "POST {link} HTTP/1.1\r\nHost: {host}\r\nOrigin: https://{host}\r\n{}Content-Length: 0\r\nConnection: close\r\n\r\n",
        crate::client::KEY
    );
    assert_eq!(
        ask(&running, &trusted, "127.0.0.1", &request)
            .await
            .unwrap()
            .status,
        204
    );
    running.end().await;
}
