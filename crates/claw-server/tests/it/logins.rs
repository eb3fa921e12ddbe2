//! The logins of browsers, and who else has their links and cookies.

use claw_testkit::agent::Script;

use crate::attacks::{bare, routes};
use crate::client::{KEY, Running};

/// Messengers and mail scanners fetch a link that is sent to somebody, and browsers load it in advance.
#[tokio::test]
async fn a_login_link_is_not_used_up_by_who_only_looks_at_it() {
    let running = Running::start(Script::reply("Hi.")).await;
    let (host, link) = (running.address, running.server.login_path());
    for (method, more) in [
        ("GET", ""),
        ("GET", KEY),
        ("GET", "Accept: text/html\r\n"),
        ("HEAD", ""),
        ("GET", "Sec-Purpose: prefetch\r\n"),
        ("GET", "Sec-Purpose: prefetch;prerender\r\n"),
    ] {
        let head =
            format!("{method} {link} HTTP/1.1\r\nHost: {host}\r\n{more}Connection: close\r\n\r\n");
        let looked = running.raw(&head).await;
        assert_eq!(
            (looked.status, looked.header("set-cookie")),
            (200, None),
            "{method} {more}"
        );
        let policy = looked.header("content-security-policy").unwrap();
        assert!(policy.contains("script-src 'self'"), "{policy}");
        assert_eq!(looked.header("cache-control"), Some("no-store"));
    }
    // A login without a key would be one of every server of the host.
    let own = format!("Host: {host}\r\nOrigin: http://{host}\r\n");
    for key in ["", "X-Claw-Key: \r\n", "X-Claw-Key: a1\r\n", &KEY.repeat(2)] {
        let status = bare(&running, "POST", &link, &format!("{own}{key}")).await;
        assert_eq!(status, 400, "{key}");
    }
    let foreign = format!("Host: {host}\r\nOrigin: http://evil.example\r\n{KEY}");
    assert_eq!(bare(&running, "POST", &link, &foreign).await, 403);
    assert_eq!(running.follow(&link).await.status, 204);
    assert_eq!(running.follow(&link).await.status, 403);
    running.end().await;
}

/// Browsers send the cookie to every port of a host, so another server there has it, and can write any header.
#[tokio::test]
async fn a_cookie_that_another_port_got_neither_reads_nor_changes_anything() {
    let running = Running::start(Script::reply("Hi.")).await;
    let session = running.session().await;
    let (host, cookie) = (running.address, log_in(&running).await);
    let with = async |method: &str, path: &str, more: &str| {
        let headers =
            format!("Host: {host}\r\nCookie: {cookie}\r\nOrigin: http://{host}\r\n{more}");
        bare(&running, method, path, &headers).await
    };
    let forged = [String::new(), "b2".repeat(32), "a1".repeat(31)];
    let forged = forged.map(|key| format!("X-Claw-Key: {key}\r\n"));
    let pages = ["/", "/usage", "/nowhere"].map(str::to_owned);
    let of_session = ["", "/changes"].map(|part| format!("/s/{session}{part}"));
    let pages: Vec<_> = pages.into_iter().chain(of_session).collect();
    let page_routes = pages.iter().map(|path| ("GET".to_owned(), path.clone()));
    for (method, path) in routes().into_iter().chain(page_routes) {
        let more = if path.ends_with("/socket") {
            "Upgrade: websocket\r\n"
        } else {
            ""
        };
        if path == "/logout" {
            continue;
        }
        for stolen in forged.iter().map(|key| &**key).chain([""]) {
            for accept in ["", "Accept: */*\r\n"] {
                let status = with(&method, &path, &format!("{stolen}{more}{accept}")).await;
                assert_eq!(status, 403, "{method} {path} {stolen}");
            }
        }
        let status = with(&method, &path, &format!("{KEY}{more}")).await;
        assert!(![401, 403].contains(&status), "{method} {path} {status}");
    }
    // A browser that opens a page gets one that is the same for everybody.
    let open = async |path: &str, more: &str| {
        let head = format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nAccept: text/html\r\n{more}Connection: close\r\n\r\n"
        );
        running.raw(&head).await
    };
    let opening = open("/nowhere", "").await;
    assert!(opening.body.contains("/open.js"), "{}", opening.body);
    for path in &pages {
        let page = open(path, "").await;
        assert_eq!((page.status, &page.body), (200, &opening.body), "{path}");
        // Its script does not get the same page again.
        for key in &forged {
            let page = open(path, key).await;
            assert_eq!(page.status, 403, "{path} {key}");
            assert!(page.body.contains("open a new login link"), "{}", page.body);
        }
    }
    assert_eq!(open("/api/sessions", "").await.status, 403);
    running.end().await;
}

/// The cookie that a login link gives.
async fn log_in(running: &Running) -> String {
    running.log_in(&running.server.login_path()).await
}

#[tokio::test]
async fn a_login_at_a_second_port_leaves_the_first_one_alone() {
    let running = [
        Running::start(Script::reply("Hi.")).await,
        Running::start(Script::reply("Hi.")).await,
    ];
    let mut jar = Vec::new();
    for one in &running {
        jar.push(log_in(one).await);
    }
    let names = jar.iter().map(|cookie| cookie.split_once('=').unwrap().0);
    let names: std::collections::BTreeSet<_> = names.collect();
    assert_eq!(names.len(), 2, "a browser keeps both");
    for one in &running {
        let headers = format!(
            "Host: {}\r\n{KEY}Cookie: {}\r\n",
            one.address,
            jar.join("; ")
        );
        assert_eq!(bare(one, "GET", "/api/projects", &headers).await, 200);
    }
    // The cookie of another server opens nothing.
    let headers = format!(
        "Host: {}\r\n{KEY}Cookie: {}\r\n",
        running[0].address, jar[1]
    );
    assert_eq!(
        bare(&running[0], "GET", "/api/projects", &headers).await,
        401
    );
    for one in running {
        one.end().await;
    }
}
