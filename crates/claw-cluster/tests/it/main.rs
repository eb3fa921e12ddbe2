//! Hosts that connect to each other on loopback.
#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;

use bytes::Bytes;
use claw_cluster::{ClusterKey, HEADER, Host, HostUrl, PeerError};
use futures::{StreamExt as _, stream};
use http::{Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Either, Full, StreamBody};
use hyper::body::{Body, Frame, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

fn key(letter: &str) -> ClusterKey {
    ClusterKey::new(letter.repeat(32)).unwrap()
}

/// A host whose address no other host uses.
fn sender(letter: &str) -> Host {
    let url = HostUrl::new("http://127.0.0.1:1").unwrap();
    Host::new("sender", url, key(letter))
}

/// Starts a host with the ID `owner`, and returns its address.
async fn receiver() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let address = HostUrl::new(&url).unwrap();
    let host = Arc::new(Host::new("owner", address, key("a")));
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let host = host.clone();
            let service = service_fn(move |request| respond(host.clone(), request));
            let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
            tokio::spawn(connection);
        }
    });
    url
}

type Answer = Response<
    Either<Full<Bytes>, StreamBody<stream::BoxStream<'static, Result<Frame<Bytes>, Infallible>>>>,
>;

/// Responds with the names of a request's headers and with its body. The path `/silent` gets no response, and the path
/// `/endless` a response whose body does not end.
async fn respond(host: Arc<Host>, request: Request<Incoming>) -> Result<Answer, Infallible> {
    let text = |status, text: String| {
        let mut response = Response::new(Either::Left(Full::from(text)));
        *response.status_mut() = status;
        response
    };
    let checked = host.check(request.method(), request.uri(), request.headers());
    if let Err(error) = checked {
        return Ok(text(error.status(), error.to_string()));
    }
    if let Some(answer) = host.answer_greeting(request.uri(), request.headers()) {
        return Ok(answer.map(|()| Either::Left(Full::default())));
    }
    let (parts, body) = request.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    if !host.has_signed_body(&parts, &body) {
        return Ok(text(StatusCode::BAD_REQUEST, String::new()));
    }
    match parts.uri.path() {
        "/silent" => pending().await,
        "/endless" => {
            let first = stream::iter([Ok(Frame::data(Bytes::from_static(b"first")))]);
            let body = first.chain(stream::pending()).boxed();
            Ok(Response::new(Either::Right(StreamBody::new(body))))
        }
        path => {
            let mut names: Vec<_> = parts.headers.keys().map(ToString::to_string).collect();
            names.sort();
            let body = String::from_utf8_lossy(&body);
            let seen = format!("{} {path} {} {body}", parts.method, names.join(","));
            let mut response = text(StatusCode::CREATED, seen);
            let headers = response.headers_mut();
            headers.insert(HEADER, "a proof".parse().unwrap());
            headers.insert("x-own", "kept".parse().unwrap());
            Ok(response)
        }
    }
}

fn get(path: &str) -> Request<Bytes> {
    Request::get(path).body(Bytes::new()).unwrap()
}

#[tokio::test]
async fn a_request_is_forwarded_without_what_is_for_the_first_host_alone() {
    let url = receiver().await;
    let host = sender("a");
    let peer = host.connect("owner", &url).await.unwrap();
    let request = Request::post("http://public.example/echo?a=b")
        .header(header::AUTHORIZATION, "Bearer secret")
        .header(header::COOKIE, "secret")
        .header(header::ORIGIN, "http://public.example")
        .header(header::HOST, "public.example")
        .header(header::CONNECTION, "x-hop")
        .header("x-hop", "1")
        .header("x-end", "1")
        .header(HEADER, "forged")
        .body(Bytes::from_static(b"text"))
        .unwrap();
    let response = peer.forward(request, None, pending()).await.unwrap();
    assert_eq!(response.status(), StatusCode::CREATED);
    assert!(!response.headers().contains_key(HEADER));
    assert_eq!(response.headers()["x-own"], "kept");
    let body = response.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(
        body,
        "POST /echo claw-cluster,content-length,host,x-end text"
    );
}

#[tokio::test]
async fn a_host_without_the_id_or_the_key_gets_no_request() {
    let url = receiver().await;
    let error = |host: Host, id: &'static str, url: String| async move {
        host.connect(id, &url).await.unwrap_err()
    };
    let refused = error(sender("b"), "owner", url.clone()).await;
    assert!(matches!(refused, PeerError::Refused(_)), "{refused}");
    let other = error(sender("a"), "earlier", url.clone()).await;
    assert!(matches!(other, PeerError::Gone(_)), "{other}");
    let invalid = error(sender("a"), "owner", "file:///etc/passwd".to_owned()).await;
    assert!(matches!(invalid, PeerError::Address), "{invalid}");

    // Nothing listens on this port, because its listener is dropped.
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let closed = format!("http://{}", free.local_addr().unwrap());
    drop(free);
    let closed = error(sender("a"), "owner", closed).await;
    assert!(matches!(closed, PeerError::Gone(_)), "{closed}");
}

#[tokio::test]
async fn a_response_ends_when_the_host_loses_the_session() {
    let url = receiver().await;
    let host = sender("a");
    let peer = host.connect("owner", &url).await.unwrap();
    let lost = peer.forward(get("/silent"), None, async {}).await;
    assert!(matches!(lost.map(|_| ()), Err(PeerError::Lost)));

    let (sender_of_end, end) = oneshot::channel::<()>();
    let peer = host.connect("owner", &url).await.unwrap();
    let gone = async move { drop(end.await) };
    let response = peer.forward(get("/endless"), None, gone).await.unwrap();
    let mut body = std::pin::pin!(response.into_body());
    let first = body.frame().await.unwrap().unwrap();
    assert_eq!(first.into_data().unwrap(), "first");
    assert!(!body.is_end_stream());
    sender_of_end.send(()).unwrap();
    assert!(body.frame().await.is_none());
}
