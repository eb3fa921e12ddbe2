//! `claw serve --phone`, with the real CLI.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, TcpStream, UdpSocket};
use std::process::{Child, Stdio};

use crate::claw::{claw, ran};

/// An address of this machine that is not of loopback. Nothing is sent to find it.
fn address() -> IpAddr {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
    let connected = socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9));
    connected.expect("this test needs a network of any kind");
    socket.local_addr().unwrap().ip()
}

/// Ends with the drop.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The status line and the rest of a page, asked for by a name.
fn browse(address: &str, host: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: {host}\r\nAccept: text/html\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    page
}

#[test]
fn a_phone_in_the_network_logs_in_and_another_name_does_not_lead_here() {
    let folder = tempfile::tempdir().unwrap();
    let ip = address();
    let mut command = claw(&[
        "serve",
        "--phone",
        "--no-tls",
        "--print-secrets",
        "--listen",
    ]);
    command
        .arg(format!("{ip}:0"))
        .arg("--project")
        .arg(folder.path())
        .env("HOME", folder.path())
        .env("ANTHROPIC_API_KEY", "sk-ant-of-tests")
        .env("CLAW_CLAUDE_PATH", claw_testkit::claude().unwrap())
        .stdout(Stdio::piped());
    let mut child = Served(command.spawn().unwrap());
    let mut lines = BufReader::new(child.0.stdout.take().unwrap()).lines();
    let mut read = Vec::new();
    while !read
        .last()
        .is_some_and(|line: &String| line.contains("Log in, once"))
    {
        read.push(lines.next().expect("more lines").unwrap());
    }
    let text = read.join("\n");
    assert!(read.iter().any(|line| line.contains("█▀▀▀▀▀█")), "{text}");
    assert!(text.contains("There is no TLS"), "{text}");
    let (_, url) = text.split_once("Log in, once, with http://").unwrap();
    let (at, path) = url.split_once('/').unwrap();
    assert!(at.starts_with(&ip.to_string()), "{text}");
    assert!(text.contains("Claude Code 2.1."), "{text}");
    assert!(text.contains("logged in: ANTHROPIC_API_KEY"), "{text}");
    assert!(text.contains(folder.path().to_str().unwrap()), "{text}");

    // Another device of the network, or a page that lets its own name stand for this address.
    for host in ["192.168.77.1", "evil.example", "127.0.0.1.evil.example"] {
        let page = browse(at, host, &format!("/{path}"));
        assert!(page.starts_with("HTTP/1.1 403"), "{host}: {page}");
        assert!(page.contains("Wrong address"), "{page}");
    }
    let page = browse(at, at, &format!("/{path}"));
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("/open.js"));
    let page = browse(at, at, "/");
    assert!(page.starts_with("HTTP/1.1 401") && page.contains("Open a login link"));
}

#[test]
fn a_phone_cannot_come_by_loopback() {
    let ran = ran(claw(&["serve", "--phone", "--listen", "127.0.0.1:0"])
        .output()
        .unwrap());
    assert!(
        ran.stderr.contains("no other device reaches"),
        "{}",
        ran.stderr
    );
    assert_ne!(ran.code, Some(0));
}

#[test]
fn an_address_that_nobody_can_open_is_not_printed() {
    let folder = tempfile::tempdir().unwrap();
    let token = folder.path().join("token");
    std::fs::write(&token, "0123456789abcdef").unwrap();
    for (names, expected) in [
        (&[][..], "http://127.0.0.1:"),
        (&["--allow-host", "claw.local"], "http://claw.local:"),
    ] {
        let mut command = claw(&["serve", "--listen", "0.0.0.0:0", "--print-secrets"]);
        command
            .args(names)
            .arg("--token-file")
            .arg(&token)
            .env("HOME", folder.path())
            .current_dir(folder.path())
            .stderr(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = Served(command.spawn().unwrap());
        let mut lines = BufReader::new(child.0.stdout.take().unwrap()).lines();
        let line = lines.next().unwrap().unwrap();
        assert!(line.contains(expected), "{line}");
        if names.is_empty() {
            let mut said = String::new();
            let mut stderr = BufReader::new(child.0.stderr.take().unwrap());
            stderr.read_line(&mut said).unwrap();
            assert!(said.contains("--phone"), "{said}");
        }
    }
}

/// What a server with TLS prints, up to its login link.
fn printed(folder: &std::path::Path, path: &str) -> (Served, String) {
    let mut command = claw(&["serve", "--phone", "--print-secrets", "--listen"]);
    command
        .arg(format!("{}:0", address()))
        .args(["--allow-host", "claw.example.org"])
        .env("HOME", folder)
        .env("PATH", path)
        .env("ANTHROPIC_API_KEY", "sk-ant-of-tests")
        .env("CLAW_CLAUDE_PATH", claw_testkit::claude().unwrap())
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = Served(command.spawn().unwrap());
    let lines = BufReader::new(child.0.stdout.take().unwrap()).lines();
    let mut text = String::new();
    for line in lines {
        let line = line.unwrap();
        text = format!("{text}{line}\n");
        if line.contains("Log in, once") {
            return (child, text);
        }
    }
    let mut problem = String::new();
    let mut stderr = child.0.stderr.take().unwrap();
    stderr.read_to_string(&mut problem).unwrap();
    panic!("it ended: {text}{problem}");
}

#[test]
fn a_phone_comes_by_tls_and_a_new_one_finds_the_steps() {
    let folder = tempfile::tempdir().unwrap();
    let (child, text) = printed(folder.path(), "/usr/bin:/bin");
    let (_, url) = text.split_once("Log in, once, with https://").unwrap();
    let (at, code) = url.trim().split_once('/').unwrap();
    assert!(
        text.contains(&format!("or open http://{at}, and follow the page")),
        "{text}"
    );
    assert!(!text.contains("There is no TLS"), "{text}");
    // The codes of the page and of the login, beside each other.
    assert!(
        text.lines()
            .any(|line| line.matches("█▀▀▀▀▀█").count() == 4),
        "{text}"
    );
    let page = browse(at, at, &format!("/{code}"));
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    let (_, certificate) = text.split_once("Certificate: ").unwrap();
    let (name, lines) = certificate.split_once(", SHA-256\n").unwrap();
    let lines: Vec<_> = lines.lines().take(4).map(str::trim).collect();
    let fingerprint = lines[0];
    // Four lines of eight pairs.
    assert_eq!(lines.concat().split(':').count(), 32, "{text}");
    assert!(page.contains(name) && !page.contains(fingerprint), "{page}");
    assert!(!page.contains(code), "{page}");
    drop(child);
    // The authority stays.
    let (child, text) = printed(folder.path(), "/usr/bin:/bin");
    assert!(text.contains(fingerprint), "{text}");
    drop(child);
    let mut file = folder.path().join(".claude/claw/tls/authority.pem");
    assert!(file.is_file());
    file.set_extension("crt");
    assert!(file.is_file());
}

/// A program `tailscale` that runs these lines.
#[cfg(unix)]
fn tailscale(folder: &std::path::Path, lines: &str) -> String {
    use std::os::unix::fs::PermissionsExt as _;
    let file = folder.join("tailscale");
    std::fs::write(&file, format!("#!/bin/sh\n{lines}\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:/usr/bin:/bin", folder.display())
}

#[cfg(unix)]
#[test]
fn the_certificate_of_tailscale_is_used_or_its_lack_has_a_reason() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let tests =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../claw-server/tests/it/tls");
    let tests = tests.display();
    let state = |name: &str, domains: &str| {
        let ip = address();
        format!(
            r#"echo '{{"BackendState": "Running", "CertDomains": {domains}, "Self": {{"DNSName": "{name}.", "TailscaleIPs": ["{ip}"]}}}}'"#
        )
    };
    let good = state("desk.tail1234.ts.net", r#"["desk.tail1234.ts.net"]"#);
    let copy = format!("cat {tests}/first.crt > \"$3\"; cat {tests}/first.key > \"$5\"");
    for (status, cert, expected) in [
        (
            &*good,
            &*copy,
            Ok("Log in, once, with https://desk.tail1234.ts.net:"),
        ),
        (
            &*good,
            "echo 'no rights for it' >&2; exit 1",
            Err("tailscale cert failed: no rights for it."),
        ),
        (
            &*good,
            "echo x > \"$3\"",
            Err("it has no certificate in PEM."),
        ),
        (
            &*state("desk.tail1234.ts.net", "null"),
            "exit 1",
            Err("turn HTTPS on in its settings."),
        ),
        (&*state("x", "[]"), "exit 1", Err("turn MagicDNS on.")),
        (
            "echo '{\"Self\": 1}'",
            "exit 1",
            Err("tailscale status prints no state: "),
        ),
        // It does not run, or the server has none of its addresses.
        (
            "echo '{\"BackendState\": \"Stopped\"}'",
            "exit 1",
            Ok("Log in, once, with https://"),
        ),
    ] {
        let lines = format!("case $1 in status) {status};; cert) {cert};; esac");
        let path = tailscale(folder.path(), &lines);
        let (_child, text) = printed(folder.path(), &path);
        let reason = "The certificate of Tailscale is not used: ";
        match expected {
            Ok(link) => assert!(text.contains(link) && !text.contains(reason), "{text}"),
            Err(expected) => assert!(text.contains(reason) && text.contains(expected), "{text}"),
        }
        // The local network is served in each case.
        let own = format!("https://{}:", address());
        assert!(text.contains(&own), "{text}");
    }
    // The key is the user's alone.
    let key = folder.path().join(".claude/claw/tls/tailscale.key");
    let mode = std::fs::metadata(key).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
