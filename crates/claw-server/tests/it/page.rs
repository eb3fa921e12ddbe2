//! The page without a browser: who gets it, and with which headers.

use std::sync::{Arc, Mutex};

use claw_server::PublicUrl;
use claw_testkit::agent::Script;
use serde_json::{Value, json};

use crate::client::{KEY, Response, Running};

/// A request for a page as the opening page makes it.
async fn browse(running: &Running, path: &str, cookie: Option<&str>) -> Response {
    let cookie = cookie.map_or_else(String::new, |cookie| format!("Cookie: {cookie}\r\n{KEY}"));
    let host = running.address;
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: {host}\r\nAccept: text/html,*/*;q=0.8\r\n{cookie}Connection: close\r\n\r\n"
    );
    running.raw(&request).await
}

/// The URLs of a page's style sheets and scripts.
fn files(page: &str) -> Vec<&str> {
    let parts = page.split('"');
    parts.filter(|part| part.starts_with("/assets/")).collect()
}

#[tokio::test]
async fn a_browser_logs_in_and_gets_pages_that_load_nothing_from_elsewhere() {
    let running = Running::start(Script::default()).await;
    let cookie = running.log_in(&running.server.login_path()).await;
    let session = running.session().await;
    for path in [
        "/".to_owned(),
        "/?q=%3Cb%3E".to_owned(),
        "/usage".to_owned(),
        format!("/s/{session}"),
    ] {
        let page = browse(&running, &path, Some(&cookie)).await;
        assert_eq!(page.status, 200, "{path}: {}", page.body);
        assert_eq!(
            page.header("content-type"),
            Some("text/html; charset=utf-8")
        );
        let policy = page.header("content-security-policy").unwrap();
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"),
            "{policy}"
        );
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(page.header("cache-control"), Some("no-store"));
        assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(page.header("x-frame-options"), Some("DENY"));
        assert!(
            !page.body.contains("<b>") && !page.body.contains("http"),
            "{}",
            page.body
        );
        let files = files(&page.body);
        assert!(files.len() >= 2, "{files:?}");
        for file in files {
            let file = browse(&running, file, None).await;
            assert_eq!(file.status, 200);
            assert!(file.header("cache-control").unwrap().contains("immutable"));
        }
    }
    running.end().await;
}

#[tokio::test]
async fn files_of_pages_are_compressed_for_browsers_that_accept_it() {
    let running = Running::start(Script::default()).await;
    let host = running.address;
    let cookie = running.log_in(&running.server.login_path()).await;
    let page = browse(&running, "/", Some(&cookie)).await;
    let of = |end: &str| {
        *files(&page.body)
            .iter()
            .find(|it| it.ends_with(end))
            .unwrap()
    };
    let (style, script) = (of(".css"), of(".js"));
    let folder = script.rsplit_once('/').unwrap().0;
    let icon = format!("{folder}/icon-192.png");
    let get = async |path: &str, accept: &str| {
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{accept}Connection: close\r\n\r\n");
        let response = running.raw(&request).await;
        assert_eq!(response.status, 200, "{path}");
        assert_eq!(response.header("vary"), Some("Accept-Encoding"));
        let length = response.header("content-length").unwrap();
        let length = length.parse::<usize>().unwrap();
        (
            response.header("content-encoding").map(str::to_owned),
            length,
        )
    };
    for path in [style, script] {
        let (encoding, length) = get(path, "").await;
        assert_eq!(encoding, None);
        for accept in ["gzip, deflate, br", "br;q=1, GZIP; q=0.5"] {
            let (encoding, compressed) = get(path, &format!("Accept-Encoding: {accept}\r\n")).await;
            assert_eq!(encoding.as_deref(), Some("gzip"), "{accept}");
            assert!(compressed * 2 < length, "{compressed} {length}");
        }
        for accept in ["br, gzip;q=0", "gzip2", "gzip;q=many", ""] {
            let plain = get(path, &format!("Accept-Encoding: {accept}\r\n")).await;
            assert_eq!(plain, (None, length), "{accept}");
        }
    }
    let (encoding, _) = get(&icon, "Accept-Encoding: gzip\r\n").await;
    assert_eq!(encoding, None);
    running.end().await;
}

#[tokio::test]
async fn a_browser_that_is_not_logged_in_is_told_how_to_log_in() {
    let running = Running::start(Script::default()).await;
    for (path, cookie) in [
        ("/", None),
        ("/usage", Some("claw_session=wrong")),
        ("/s/nothing", None),
    ] {
        let page = browse(&running, path, cookie).await;
        assert_eq!(page.status, 401, "{path}");
        assert!(page.body.contains("Open a login link:"), "{}", page.body);
        assert_eq!(
            page.header("content-type"),
            Some("text/html; charset=utf-8")
        );
    }
    // The stream and the API answer programs.
    let stream = browse(&running, "/api/sessions", None).await;
    assert_eq!(
        (stream.status, stream.json()["error"]["kind"].as_str()),
        (401, Some("unauthorized"))
    );
    running.end().await;
}

#[tokio::test]
async fn a_session_that_is_not_there_has_a_page_that_says_so() {
    let running = Running::start(Script::default()).await;
    let cookie = running.log_in(&running.server.login_path()).await;
    let page = browse(
        &running,
        "/s/00000000-0000-4000-8000-000000000000",
        Some(&cookie),
    )
    .await;
    assert_eq!(page.status, 404);
    assert!(
        page.body.contains("Go to the list of sessions"),
        "{}",
        page.body
    );
    running.end().await;
}

#[tokio::test]
async fn a_browser_that_is_logged_in_makes_a_link_for_another_device() {
    let running = Running::start(Script::default()).await;
    let response = running.ask("POST", "/api/logins", &Value::Null).await;
    assert_eq!(response.status, 201);
    let link = response.json()["path"].as_str().unwrap().to_owned();
    // No other device reaches loopback.
    assert_eq!(response.json()["urls"], json!([]));
    let cookie = running.log_in(&link).await;
    assert_eq!(running.follow(&link).await.status, 403);
    assert_eq!(browse(&running, "/", Some(&cookie)).await.status, 200);
    running.end().await;
}

#[tokio::test]
async fn an_address_is_allowed_while_the_machine_has_it() {
    let current = Arc::new(Mutex::new(vec!["192.168.1.5"]));
    let of_machine = current.clone();
    let running = Running::start_as(Script::default(), |builder| {
        builder.changing_device_urls(move || {
            let current = of_machine.lock().unwrap();
            let urls = current.iter().map(|ip| format!("http://{ip}:8000"));
            urls.filter_map(|url| PublicUrl::new(&url)).collect()
        })
    })
    .await;
    let statuses = async || {
        let mut statuses = Vec::new();
        for host in [
            "192.168.1.5:8000",
            "10.0.0.7:8000",
            "evil.example:8000",
            "localhost",
        ] {
            let request = format!(
                "GET /login/x HTTP/1.1\r\nHost: {host}\r\nAccept: text/html\r\nConnection: close\r\n\r\n"
            );
            statuses.push(running.raw(&request).await.status);
        }
        statuses
    };
    let urls = async || {
        let made = running.ask("POST", "/api/logins", &Value::Null).await;
        let urls = made.json()["urls"].as_array().unwrap().clone();
        let urls = urls.iter().map(|it| it["url"].as_str().unwrap());
        urls.map(|url| url.split("/login").next().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(statuses().await, [200, 403, 403, 200]);
    assert_eq!(urls().await, ["http://192.168.1.5:8000"]);
    *current.lock().unwrap() = vec!["10.0.0.7"];
    assert_eq!(statuses().await, [403, 200, 403, 200]);
    assert_eq!(urls().await, ["http://10.0.0.7:8000"]);
    current.lock().unwrap().clear();
    assert_eq!(statuses().await, [403, 403, 403, 200]);
    running.end().await;
}

#[tokio::test]
async fn links_for_another_device_have_the_addresses_that_lead_here() {
    let url = PublicUrl::new("http://192.168.1.5:8000").unwrap();
    let running = Running::start_as(Script::default(), |builder| builder.device_url(url)).await;
    let made = running.ask("POST", "/api/logins", &Value::Null).await;
    let made = made.json();
    let (path, urls) = (made["path"].as_str().unwrap(), &made["urls"]);
    assert_eq!(urls[0]["url"], format!("http://192.168.1.5:8000{path}"));
    assert!(
        urls[0]["qr"].as_str().unwrap().starts_with("<svg"),
        "{urls}"
    );
    // That address is allowed, and no other one of the same network.
    for (host, status) in [("192.168.1.5:8000", 200), ("192.168.1.6:8000", 403)] {
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nAccept: text/html\r\nConnection: close\r\n\r\n"
        );
        let page = running.raw(&request).await;
        assert_eq!(page.status, status, "{}", page.body);
    }
    running.end().await;
}

#[tokio::test]
async fn a_browser_that_is_refused_gets_a_page_that_says_what_to_do() {
    let running = Running::start(Script::default()).await;
    let host = running.address;
    for (path, host, status, text) in [
        ("/", "192.168.1.6:8000".to_owned(), 403, "--allow-host"),
        ("/nowhere", host.to_string(), 401, "Open a login link"),
    ] {
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nAccept: text/html,*/*\r\nConnection: close\r\n\r\n"
        );
        let page = running.raw(&request).await;
        assert_eq!(page.status, status, "{path}");
        assert!(page.body.starts_with("<!doctype html>"), "{}", page.body);
        assert!(page.body.contains(text), "{}", page.body);
    }
    let used = running.follow("/login/x").await;
    assert_eq!(used.status, 403);
    let text = used.json()["error"]["message"].to_string();
    assert!(text.contains("does not work any more"), "{text}");
    let cookie = running.log_in(&running.server.login_path()).await;
    let page = browse(&running, "/nowhere", Some(&cookie)).await;
    assert_eq!(page.status, 404);
    assert!(
        page.body.contains("no page at this address"),
        "{}",
        page.body
    );
    running.end().await;
}
