//! Interrupts go to the worker that runs the turn.

use claw_testkit::Block;
use claw_testkit::api::{ApiRequest, Scenario};
use hyper::Request;
use hyper::client::conn::http2::handshake;
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use tokio::net::TcpStream;

use crate::place::{Place, Proxy};
use crate::turns::{SESSION, waits};

#[tokio::test]
async fn a_turn_is_interrupted_wherever_it_runs() {
    let place = Place::new(waits()).await;
    let workers: Vec<_> = (0..3).map(|_| place.worker()).collect();
    let proxy = Proxy::start(&place, &workers.iter().collect::<Vec<_>>()).await;
    place.restate.register(proxy.address).await;
    let interrupt = async {
        place.api.received(ApiRequest::is_message).await;
        place.call(SESSION, "interrupt", &[], &Value::Null).await
    };
    let (outcome, interrupted) = tokio::join!(place.prompt(SESSION, "Begin."), interrupt);
    assert_eq!(interrupted, (200, json!({"wasRunning": true})));
    assert!(
        outcome.is_interrupted && outcome.attempt == 1,
        "{outcome:?}"
    );
    let nothing = place.call(SESSION, "interrupt", &[], &Value::Null).await;
    assert_eq!(nothing, (200, json!({"wasRunning": false})));
}

#[tokio::test]
async fn an_interrupt_without_the_key_is_refused() {
    let place = Place::new(Scenario::always([Block::text("Yes.")])).await;
    let worker = place.worker();
    for signed in [None, Some("v1 0 owner nonce mac")] {
        let stream = TcpStream::connect(worker.address).await.unwrap();
        let (mut sender, connection) = handshake(TokioExecutor::new(), TokioIo::new(stream))
            .await
            .unwrap();
        tokio::spawn(connection);
        let url = format!("http://{}/claw/interrupt", worker.address);
        let mut request = Request::post(url);
        if let Some(signed) = signed {
            request = request.header("claw-cluster", signed);
        }
        let request = request
            .body(http_body_util::Empty::<bytes::Bytes>::new())
            .unwrap();
        assert_eq!(sender.send_request(request).await.unwrap().status(), 401);
    }
}
