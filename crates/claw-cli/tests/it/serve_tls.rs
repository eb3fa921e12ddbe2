//! `claw serve` with TLS. The tests of claw-server have connections with TLS.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::claw::{claw, ran};

/// Ends with the drop.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A copy of a file of the tests of claw-server, which only the user can read.
fn copied(folder: &TempDir, name: &str) -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../claw-server/tests/it/tls");
    let path = folder.path().join(name);
    let mut file = claw_client::transport::create_private_file(&path).unwrap();
    file.write_all(&fs::read(tests.join(name)).unwrap())
        .unwrap();
    path
}

fn serve(folder: &TempDir, certificate: &Path, key: &Path, more: &[&str]) -> Command {
    let mut command = claw(&["serve", "--listen", "127.0.0.1:0"]);
    command
        .args(more)
        .arg("--tls-cert")
        .arg(certificate)
        .arg("--tls-key")
        .arg(key)
        .env("HOME", folder.path())
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

#[test]
fn the_link_of_a_certificate_of_ones_own_is_of_https() {
    let folder = TempDir::new().unwrap();
    let (certificate, key) = (copied(&folder, "first.crt"), copied(&folder, "first.key"));
    for option in ["--print-secrets", "--hosting"] {
        let mut command = serve(&folder, &certificate, &key, &[option]);
        let mut child = Served(command.spawn().unwrap());
        let mut lines = BufReader::new(child.0.stdout.take().unwrap()).lines();
        let line = lines.next().unwrap().unwrap();
        let (_, address) = line.split_once("https://").expect(&line);
        let address = address.split('/').next().unwrap();
        // Without TLS, a browser is sent there.
        let mut stream = TcpStream::connect(address).unwrap();
        let request = format!(
            "GET /login/x HTTP/1.1\r\nHost: {address}\r\nAccept: text/html\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 307"), "{answer}");
        assert!(
            answer.contains(&format!("location: https://{address}/\r\n")),
            "{answer}"
        );
    }
}

#[test]
fn a_bad_file_is_named_and_nothing_is_served() {
    let folder = TempDir::new().unwrap();
    let (certificate, key) = (copied(&folder, "first.crt"), copied(&folder, "second.key"));
    for (certificate, key, expected) in [
        (
            &certificate,
            &key,
            "second.key: the key is not that of the certificate in ",
        ),
        (&key, &key, "second.key: it has no certificate in PEM"),
        (&folder.path().join("none"), &key, "none: No such file"),
    ] {
        let ran = ran(serve(&folder, certificate, key, &[]).output().unwrap());
        assert!(ran.stderr.contains(expected), "{}", ran.stderr);
        assert_ne!(ran.code, Some(0));
        assert_eq!(ran.stdout, "");
    }
    let ran = ran(claw(&["serve", "--tls-cert", "x"]).output().unwrap());
    assert!(ran.stderr.contains("--tls-key"), "{}", ran.stderr);
}
