//! Traces: the calls of the store, in the trace of the session for which they are made.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use claw_client::store::{MemoryStore, SessionStore, StoreError, StoreOptions};
use claw_cluster::{ClusterKey, HostUrl};
use claw_server::{Otlp, ServerBuilder};
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use claw_testkit::store::{Call, Intercept, Intercepted, intercepted};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::client::{Running, soon};

/// A store whose calls fail from some time on.
#[derive(Debug, Default)]
struct Away {
    is_away: AtomicBool,
}

impl Intercept for Away {
    async fn before(&self, call: Call) -> Result<(), StoreError> {
        if call == Call::Append && self.is_away.load(Relaxed) {
            return Err(StoreError::unavailable("hidden reason"));
        }
        Ok(())
    }
}

type Way = Intercepted<Away, MemoryStore>;

/// A collector of traces that keeps the spans.
struct Collector {
    url: String,
    received: mpsc::UnboundedReceiver<Value>,
    spans: Vec<Value>,
}

impl Collector {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (sender, received) = mpsc::unbounded_channel();
        let take = async |State(sender): State<mpsc::UnboundedSender<Value>>,
                          Json(body): Json<Value>| {
            let _ = sender.send(body);
            Json(Value::Null)
        };
        let router = Router::new().route("/v1/traces", post(take));
        let router = router.with_state(sender);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self {
            url,
            received,
            spans: Vec::new(),
        }
    }

    /// Waits for a span of this name for which this holds, and returns it.
    async fn until(&mut self, name: &str, is: impl Fn(&Value) -> bool) -> Value {
        soon(async {
            loop {
                let found = self.spans.iter();
                let mut found = found.filter(|span| span["name"] == name && is(span));
                if let Some(span) = found.next() {
                    return span.clone();
                }
                let body = self.received.recv().await.unwrap();
                let spans = &body["resourceSpans"][0]["scopeSpans"][0]["spans"];
                self.spans.extend(spans.as_array().unwrap().iter().cloned());
            }
        })
        .await
    }
}

fn attributes(span: &Value) -> BTreeMap<&str, &str> {
    let all = span["attributes"].as_array().unwrap().iter();
    let texts = all.map(|one| {
        let value = one["value"]["stringValue"].as_str().unwrap();
        (one["key"].as_str().unwrap(), value)
    });
    texts.collect()
}

/// A host with this store, which exports its traces if there is a collector.
async fn host(way: &Arc<Way>, otlp: Option<&str>) -> Running {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let store: Arc<dyn SessionStore> = way.clone();
    let turn = Step::message([Block::text("I think.").hold(1, "half")]);
    let script = Script::new([Step::Turns(vec![turn])]);
    let folder = tempfile::tempdir().unwrap();
    Running::start_on(listener, script, folder, None, |builder: ServerBuilder| {
        let url = HostUrl::new(&url).unwrap();
        let key = ClusterKey::new("k".repeat(32)).unwrap();
        let builder = builder.store(StoreOptions::new(store)).cluster(url, key);
        match otlp {
            Some(url) => builder.otlp(Otlp::new(url).unwrap()),
            None => builder,
        }
    })
}

#[tokio::test]
async fn calls_of_the_store_are_below_the_turn_for_which_they_are_made() {
    let way: Arc<Way> = Arc::new(intercepted(Arc::default(), Away::default()));
    let mut collector = Collector::start().await;
    let running = host(&way, Some(&collector.url)).await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    running.prompt(&session, "A hidden prompt").await;
    soon(running.agent.gates().reached("half")).await;
    // The store goes away in the turn: what is recorded of its answer fails first.
    way.intercept.is_away.store(true, Relaxed);
    running.agent.gates().open("half");
    let failed = collector
        .until("append", |span| span["status"]["code"] == 2)
        .await;
    assert_eq!(failed["kind"], 3);
    let expected = [
        ("db.operation.name", "append"),
        ("db.system.name", "memory"),
        ("error.type", "unavailable"),
        ("session.id", &*session),
    ];
    assert_eq!(attributes(&failed), BTreeMap::from(expected));
    way.intercept.is_away.store(false, Relaxed);
    let is_over = |state: &Value| state["phase"] == "idle";
    events.until("state", is_over).await;
    let turn = collector.until("invoke_agent", |_| true).await;
    let in_turn = |span: &Value| span["parentSpanId"] == turn["spanId"];
    let done = collector
        .until("append", |span| {
            in_turn(span) && span["status"]["code"] != 2
        })
        .await;
    assert_eq!(done["traceId"], turn["traceId"]);
    assert_eq!(done["kind"], 3);
    assert_eq!(attributes(&done).get("error.type"), None);
    // The claim is made before the session is live.
    let claim = collector.until("claim", |_| true).await;
    assert_eq!(claim.get("parentSpanId"), None, "{claim}");
    assert_eq!(attributes(&claim)["session.id"], session);
    running.end().await;
    let root = collector.until("claw.session", |_| true).await;
    assert_eq!(turn["parentSpanId"], root["spanId"]);
    assert_eq!(failed["traceId"], root["traceId"]);
    let all = Value::from(collector.spans).to_string();
    assert!(!all.contains("hidden"), "{all}");
}
