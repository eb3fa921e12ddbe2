//! The logins of browsers, and who else has their links and cookies.

use claw_testkit::agent::Script;

use crate::attacks::{bare, routes};
use crate::client::Running;

#[tokio::test]
async fn a_login_link_is_not_used_up_by_who_only_looks_at_it() {
    let running = Running::start(Script::says("Hi.")).await;
    let (host, link) = (running.address, running.server.login_path());
    let visit = async |method: &str, more: &str| {
        let head =
            format!("{method} {link} HTTP/1.1\r\nHost: {host}\r\n{more}Connection: close\r\n\r\n");
        running.raw(&head).await
    };
    for (method, more) in [
        ("HEAD", ""),
        ("GET", "Sec-Purpose: prefetch\r\n"),
        ("GET", "Sec-Purpose: prefetch;prerender\r\n"),
        ("GET", "Purpose: prefetch\r\n"),
    ] {
        let looked = visit(method, more).await;
        assert_eq!(
            (looked.status, looked.header("set-cookie")),
            (204, None),
            "{method} {more}"
        );
    }
    assert_eq!(visit("GET", "").await.status, 303);
    assert_eq!(visit("GET", "").await.status, 403);
    running.end().await;
}

/// The cookie that a login link gives.
async fn log_in(running: &Running) -> String {
    let (host, link) = (running.address, running.server.login_path());
    let request = format!("GET {link} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    let response = running.raw(&request).await;
    let cookie = response.header("set-cookie").unwrap();
    cookie.split(';').next().unwrap().to_owned()
}

/// Browsers send the cookie to every port of a host, so another server there has it, and can write any header.
#[tokio::test]
async fn a_cookie_that_another_port_got_changes_nothing() {
    let running = Running::start(Script::says("Hi.")).await;
    let (host, cookie) = (running.address, log_in(&running).await);
    let with = async |method: &str, path: &str, more: &str| {
        let headers =
            format!("Host: {host}\r\nCookie: {cookie}\r\nOrigin: http://{host}\r\n{more}");
        bare(&running, method, path, &headers).await
    };
    let (own, forged) = ("a1".repeat(32), "b2".repeat(32));
    let key = |key: &str| format!("X-Claw-Key: {key}\r\n");
    // The page asks first, right behind the login.
    assert_eq!(with("GET", "/api/sessions", &key(&own)).await, 200);
    let changes = |(method, path): &(String, String)| method != "GET" || path.ends_with("/socket");
    for (method, path) in routes().into_iter().filter(changes) {
        let more = if method == "GET" {
            "Upgrade: websocket\r\n"
        } else {
            ""
        };
        if path == "/logout" {
            continue;
        }
        for stolen in [String::new(), key(&forged), key(""), key(&own[..63])] {
            let status = with(&method, &path, &format!("{stolen}{more}")).await;
            assert_eq!(status, 403, "{method} {path} {stolen}");
        }
        let status = with(&method, &path, &format!("{}{more}", key(&own))).await;
        assert_ne!(status, 403, "{method} {path}");
    }
    running.end().await;
}

#[tokio::test]
async fn a_login_at_a_second_port_leaves_the_first_one_alone() {
    let running = [
        Running::start(Script::says("Hi.")).await,
        Running::start(Script::says("Hi.")).await,
    ];
    let mut jar = Vec::new();
    for one in &running {
        jar.push(log_in(one).await);
    }
    let names = jar.iter().map(|cookie| cookie.split_once('=').unwrap().0);
    let names: std::collections::BTreeSet<_> = names.collect();
    assert_eq!(names.len(), 2, "a browser keeps both");
    for one in &running {
        let headers = format!("Host: {}\r\nCookie: {}\r\n", one.address, jar.join("; "));
        assert_eq!(bare(one, "GET", "/api/projects", &headers).await, 200);
    }
    // The cookie of another server opens nothing.
    let headers = format!("Host: {}\r\nCookie: {}\r\n", running[0].address, jar[1]);
    assert_eq!(
        bare(&running[0], "GET", "/api/projects", &headers).await,
        401
    );
    for one in running {
        one.end().await;
    }
}
