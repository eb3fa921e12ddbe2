//! The server in another program's router, and behind a proxy under a path.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::request::Builder;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use claw_client::Session;
use claw_server::{Person, Project, PublicUrl, Server, ServerBuilder};
use claw_sessions::Sessions;
use claw_testkit::agent::{Agent, Script};
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A server in a folder of its own, with the scripted agent.
fn server(change: impl FnOnce(ServerBuilder) -> ServerBuilder) -> (Server, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("shop");
    std::fs::create_dir(&project).unwrap();
    let agent = Agent::new(Script::reply("Hi."));
    let builder = Server::builder()
        .project(Project::new(&project).unwrap())
        .sessions(Sessions::new(folder.path().join("config")))
        .session(move |options| Session::builder(options).transport(agent.clone()));
    (change(builder).build().unwrap(), folder)
}

struct Answer {
    status: u16,
    head: Response<()>,
    body: String,
}

impl Answer {
    fn header(&self, name: &str) -> &str {
        self.head.headers()[name].to_str().unwrap()
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

async fn ask(app: &Router, request: Builder, body: &Value) -> Answer {
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    let request = request.header("content-type", "application/json");
    let service = TowerToHyperService::new(app.clone());
    let response = service
        .call(request.body(Body::from(body)).unwrap())
        .await
        .unwrap();
    let (parts, body) = response.into_parts();
    let body = axum::body::to_bytes(body, 1 << 24).await.unwrap();
    Answer {
        status: parts.status.as_u16(),
        body: String::from_utf8_lossy(&body).into_owned(),
        head: Response::from_parts(parts, ()),
    }
}

fn get(path: &str) -> Builder {
    Request::get(path)
        .header("host", "localhost")
        .header("accept", "text/html")
}

/// The program's own login: a header stands for its session.
async fn log_in(mut request: Request, next: Next) -> Response {
    if let Some(name) = request.headers().get("x-test-login") {
        let name = String::from_utf8(name.as_bytes().to_vec()).unwrap();
        request.extensions_mut().insert(Person::new(name));
    }
    next.run(request).await
}

fn links(page: &str) -> Vec<&str> {
    let values = |name: &'static str| page.split(name).skip(1);
    let all = values("href=\"")
        .chain(values("src=\""))
        .chain(values("action=\""));
    let all = all.map(|rest| rest.split('"').next().unwrap());
    all.filter(|link| link.starts_with('/')).collect()
}

async fn check_page(app: &Router, home: &str, request: impl Fn(&str) -> Builder) {
    let page = ask(app, request(home), &Value::Null).await;
    assert_eq!(page.status, 200, "{}", page.body);
    let links = links(&page.body);
    assert!(links.len() > 8, "{links:?}");
    for link in links {
        assert!(
            link == "/agents" || link.starts_with("/agents/") || link.starts_with("/agents?"),
            "{link}"
        );
        let found = ask(app, request(link), &Value::Null).await;
        assert_eq!(found.status, 200, "{link}: {}", found.body);
        if link.ends_with(".webmanifest") {
            let manifest = found.json();
            for name in ["id", "start_url", "scope"] {
                assert_eq!(manifest[name], "/agents", "{name}");
            }
        }
    }
    let worker = ask(app, request("/agents/worker.js"), &Value::Null).await;
    assert_eq!(worker.header("service-worker-allowed"), "/agents");
    assert!(
        worker.body.starts_with("const BASE = \"/agents\";"),
        "{:.99}",
        worker.body
    );
    assert!(worker.body.contains("[\"/agents/assets/") && !worker.body.contains("[\"/assets/"));
    let document = ask(app, request("/agents/openapi.json"), &Value::Null)
        .await
        .json();
    assert_eq!(document["servers"], json!([{"url": "/agents"}]));
}

#[tokio::test]
async fn under_a_path_every_link_of_the_page_leads_there() {
    let (server, _folder) = server(|builder| builder);
    let with_login = |path: &str| get(path).header("x-test-login", "Ada");
    for router in [
        server.router_at("/agents"),
        Router::new().nest("/agents", server.router()),
    ] {
        let app = Router::new()
            .route("/", axum::routing::get(async || "My application."))
            .merge(router.layer(from_fn(log_in)));
        check_page(&app, "/agents", with_login).await;
        let own = ask(&app, get("/"), &Value::Null).await;
        assert_eq!(own.body, "My application.");
        // Who is not logged in is told so, by a page whose links lead there too.
        let stranger = ask(&app, get("/agents/usage"), &Value::Null).await;
        assert_eq!(stranger.status, 401);
        assert!(
            links(&stranger.body)
                .iter()
                .all(|link| link.starts_with("/agents"))
        );
    }
    let app = server.router_at("/agents/");
    let slash = ask(&app, get("/agents/"), &Value::Null).await;
    assert_eq!((slash.status, slash.header("location")), (308, "/agents"));
}

#[tokio::test]
async fn the_host_program_says_who_the_person_is_and_the_network_cannot() {
    let (server, _folder) = server(|builder| builder.host("example.org"));
    let app = server.router_at("/agents").layer(from_fn(log_in));
    let new = json!({"project": "shop"});
    let post = |path: &str| Request::post(path).header("host", "example.org");
    let person = |path: &str| post(path).header("x-test-login", "J\u{fc}rgen \u{202e}");
    let open = "/agents/api/sessions";
    let stranger = ask(&app, post(open), &new).await;
    assert_eq!(stranger.status, 401, "{}", stranger.body);
    // Another site's page is not let in by the person's own cookie.
    for origin in ["https://evil.example", "null"] {
        let foreign = ask(&app, person(open).header("origin", origin), &new).await;
        assert_eq!(foreign.status, 403, "{origin}");
    }
    let silent = ask(&app, person(open), &new).await;
    assert_eq!(silent.status, 403, "{}", silent.body);
    let foreign = person(open).header("sec-fetch-site", "cross-site");
    assert_eq!(ask(&app, foreign, &new).await.status, 403);
    let own = person(open).header("sec-fetch-site", "same-origin");
    assert_eq!(ask(&app, own, &new).await.status, 201);
    // A name that is not the server's own stays refused.
    let wrong = Request::get("/agents/api/sessions")
        .header("host", "evil.example")
        .header("x-test-login", "Ada");
    assert_eq!(ask(&app, wrong, &Value::Null).await.status, 403);
}

#[tokio::test]
async fn a_login_link_works_under_a_path_and_its_cookie_is_for_that_path() {
    let (server, _folder) = server(|builder| builder);
    let app = server.router_at("/agents");
    let link = format!("/agents{}", server.login_path());
    let key = "a1".repeat(32);
    let visit = Request::post(&link).header("host", "localhost");
    let visited = ask(&app, visit.header("x-claw-key", &key), &Value::Null).await;
    assert_eq!(visited.status, 204);
    let cookie = visited.header("set-cookie");
    assert!(cookie.contains("; Path=/agents;"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap();
    let home = get("/agents").header("cookie", cookie);
    let page = ask(&app, home.header("x-claw-key", &key), &Value::Null).await;
    assert_eq!(page.status, 200);
    let token = format!("Bearer {}", server.token().expose());
    let made = Request::post("/agents/api/logins")
        .header("host", "localhost")
        .header("authorization", token);
    let made = ask(&app, made, &Value::Null).await.json();
    assert!(
        made["path"].as_str().unwrap().starts_with("/agents/login/"),
        "{made}"
    );
    let out = Request::post("/agents/logout")
        .header("host", "localhost")
        .header("sec-fetch-site", "same-origin")
        .header("x-claw-key", &key)
        .header("cookie", cookie);
    let out = ask(&app, out, &Value::Null).await;
    assert!(
        out.header("set-cookie")
            .contains("; Path=/agents; Max-Age=0")
    );
}

#[tokio::test]
async fn behind_a_proxy_the_path_is_that_of_the_public_address() {
    let public = PublicUrl::new("https://example.org/agents").unwrap();
    assert_eq!(public.to_string(), "https://example.org/agents");
    let (server, _folder) = server(|builder| builder.public_url(public));
    let app = server.router();
    let token = Arc::<str>::from(format!("Bearer {}", server.token().expose()));
    let come = |path: &str| {
        Request::get(path)
            .header("host", "example.org")
            .header("accept", "text/html")
            .header("authorization", &*token)
    };
    // A proxy that passes the path on, and one that removes it.
    check_page(&app, "/agents", &come).await;
    check_page(&app, "/agents", |path: &str| {
        let rest = path.strip_prefix("/agents").unwrap();
        come(&if rest.starts_with('/') {
            rest.to_owned()
        } else {
            format!("/{rest}")
        })
    })
    .await;
    let foreign = come("/agents").header("origin", "https://example.org/agents");
    assert_eq!(ask(&app, foreign, &Value::Null).await.status, 403);
    let own = come("/agents").header("origin", "https://example.org");
    assert_eq!(ask(&app, own, &Value::Null).await.status, 200);
    // By another name, such as that of loopback, the server is at the root.
    let root = ask(
        &app,
        get("/").header("authorization", &*token),
        &Value::Null,
    )
    .await;
    assert!(root.body.contains("href=\"/usage\""));
}

#[test]
fn a_public_address_has_a_plain_path() {
    for text in ["https://a/b/c", "https://a/b/", "https://a", "https://a/"] {
        assert!(PublicUrl::new(text).is_some(), "{text}");
    }
    for text in [
        "https://a/b?c",
        "https://a/b#c",
        "https://a//b",
        "https://a/../b",
        "https://a/b%2fc",
        "https://a/<b>",
        "https://u@a/b",
    ] {
        assert!(PublicUrl::new(text).is_none(), "{text}");
    }
}
