//! Every queue has a bound in bytes: a CLI that floods, and asks, and does not listen, gets no more
//! than that of this process's memory, and hangs nothing.

use std::future::pending;
use std::task::Poll;
use std::time::Duration;

use claw_client::hook::{HookFor, Stop};
use claw_client::transport::{Io, Shutdown};
use claw_client::types::QueryOptions;
use claw_client::types::control::{ControlRequestBody, PermissionResult};
use claw_client::{Error, Session, SessionBuilder};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines};
use tokio::io::{ReadHalf, WriteHalf};

use crate::agent::soon;
use crate::proc::peak_memory;

const MIB: usize = 1 << 20;

/// Plays the CLI, line by line, and knows no manners.
struct Peer {
    hears: Lines<BufReader<ReadHalf<DuplexStream>>>,
    says: Mouth,
}

struct Mouth(WriteHalf<DuplexStream>);

impl Mouth {
    /// `false` once nobody reads any more.
    async fn say(&mut self, line: &str) -> bool {
        let said = async {
            self.0.write_all(line.as_bytes()).await?;
            self.0.write_all(b"\n").await
        };
        said.await.is_ok()
    }

    async fn request(&mut self, id: &str, request: &str) -> bool {
        let line =
            format!(r#"{{"type":"control_request","request_id":"{id}","request":{request}}}"#);
        self.say(&line).await
    }

    /// Makes so many requests, and takes each back at once.
    async fn request_and_take_back(&mut self, times: usize, request: &str) {
        for number in 0..times {
            let id = format!("q{number}");
            assert!(soon(self.request(&id, request)).await);
            let cancel = json!({"type": "control_cancel_request", "request_id": id});
            assert!(soon(self.say(&cancel.to_string())).await);
        }
    }

    /// Says what `line` gives for each number, until nobody reads any more.
    async fn flood(&mut self, times: usize, mut line: impl FnMut(usize) -> String) {
        for number in 0..times {
            if !self.say(&line(number)).await {
                return;
            }
        }
    }
}

impl Peer {
    async fn hear(&mut self) -> Option<Value> {
        let line = soon(self.hears.next_line()).await.ok().flatten()?;
        Some(serde_json::from_str(&line).unwrap())
    }

    /// Hears what comes until a request is answered; gives how many answers came, and that one's.
    async fn hear_until(&mut self, id: &str) -> (Vec<Value>, Value) {
        let mut before = Vec::new();
        loop {
            let line = self.hear().await.unwrap();
            if line["response"]["request_id"] == id {
                return (before, line);
            }
            before.push(line);
        }
    }
}

/// A session with a peer, after the handshake.
async fn connect(builder: SessionBuilder) -> (Session, Peer) {
    let (near, far) = tokio::io::duplex(64 << 10);
    let (reader, writer) = tokio::io::split(near);
    let (hears, says) = tokio::io::split(far);
    let mut peer = Peer {
        hears: BufReader::new(hears).lines(),
        says: Mouth(says),
    };
    let shaken = async {
        let hello = peer.hear().await.unwrap();
        let id = &hello["request_id"];
        let answer = json!({"subtype": "success", "request_id": id, "response": {}});
        let answer = json!({"type": "control_response", "response": answer});
        assert!(peer.says.say(&answer.to_string()).await);
    };
    let (session, ()) =
        soon(async { tokio::join!(builder.transport(Io::new(reader, writer)).connect(), shaken) })
            .await;
    (session.unwrap(), peer)
}

fn builder() -> SessionBuilder {
    Session::builder(QueryOptions::default())
}

/// A callback that is never done with its request.
async fn hold<Q>(request: Q) {
    pending::<()>().await;
    drop(request);
}

/// Runs a test in a process of its own, which has next to no memory before.
fn measured(name: &str, test: impl Future<Output = ()>) {
    if !claw_testkit::alone(&format!("bounds::{name}")) {
        return;
    }
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().unwrap().block_on(test);
}

/// By how many MiB the memory of this process has grown since, at the most.
struct Memory(usize);

impl Memory {
    fn now() -> Self {
        Self(peak_memory())
    }

    fn is_within(&self, name: &str, most: usize) {
        let grown = (peak_memory() - self.0) / 1024;
        println!("{name}: memory grew by {grown} MiB");
        assert!(grown <= most, "{name}: {grown} MiB, and not {most}");
    }
}

/// A request whose refusal repeats ten kilobytes of it.
fn tedious(number: usize) -> String {
    let id = "i".repeat(10_000);
    format!(
        r#"{{"type":"control_request","request_id":"q{number}","request":{{"subtype":"mcp_message","server_name":"s","message":{{"id":"{id}","method":"m"}}}}}}"#
    )
}

fn is_deaf(error: &Error) {
    let text = error.to_string();
    assert!(text.contains("does not read its stdin"), "{text}");
}

#[test]
fn answers_that_nobody_reads_end_the_session() {
    measured("answers_that_nobody_reads_end_the_session", async {
        let (session, mut peer) = connect(builder()).await;
        let turn = session.send("Go").await.unwrap();
        let interrupt = tokio::spawn(session.interrupt());
        let before = Memory::now();
        soon(peer.says.flood(40_000, tedious)).await;
        before.is_within("40,000 answers of 10 kB", 160);
        is_deaf(&soon(turn.result()).await.unwrap_err());
        is_deaf(&soon(interrupt).await.unwrap().unwrap_err());
        is_deaf(&soon(session.interrupt()).await.unwrap_err());
        is_deaf(&soon(session.close()).await.unwrap_err());
    });
}

#[test]
fn close_ends_a_session_whose_answers_nobody_reads() {
    measured("close_ends_a_session_whose_answers_nobody_reads", async {
        let (session, mut peer) = connect(builder()).await;
        let flooded = tokio::spawn(async move {
            peer.says.flood(1_000, tedious).await;
            peer
        });
        let _peer = soon(flooded).await.unwrap();
        let ladder = Shutdown::default().grace(Duration::from_millis(50));
        soon(session.close_with(ladder)).await.unwrap();
    });
}

#[test]
fn calls_that_nobody_reads_are_refused_and_an_interrupt_is_not() {
    measured(
        "calls_that_nobody_reads_are_refused_and_an_interrupt_is_not",
        async {
            let (session, _peer) = connect(builder()).await;
            let before = Memory::now();
            let long = Long::new(&"x".repeat(MIB));
            let (mut calls, mut refused) = (Vec::new(), 0);
            for _ in 0..300 {
                let mut call = session.call(long.clone());
                match futures::poll!(&mut call) {
                    Poll::Pending => calls.push(call),
                    Poll::Ready(answer) => {
                        is_deaf(&answer.unwrap_err());
                        refused += 1;
                    }
                }
                tokio::task::yield_now().await;
            }
            before.is_within("300 calls of 1 MB", 100);
            assert!((200..300).contains(&refused), "{refused} were refused");
            let mut interrupt = session.interrupt();
            assert!(futures::poll!(&mut interrupt).is_pending());
            tokio::task::yield_now().await;
            assert!(futures::poll!(&mut interrupt).is_pending());
            drop(interrupt);
            let ladder = Shutdown::default().grace(Duration::from_millis(50));
            soon(session.close_with(ladder)).await.unwrap();
        },
    );
}

/// A long request. A clone costs less than a new one.
#[derive(Clone)]
struct Long(ControlRequestBody);

impl Long {
    fn new(text: &str) -> Self {
        Self(serde_json::from_value(json!({"subtype": "long", "text": text})).unwrap())
    }
}

impl From<Long> for ControlRequestBody {
    fn from(Long(body): Long) -> Self {
        body
    }
}

impl claw_client::types::control::Request for Long {
    type Response = Option<claw_client::types::Json>;
}

fn permission(text: &str) -> String {
    format!(
        r#"{{"subtype":"can_use_tool","tool_name":"Write","tool_use_id":"t","input":{{"content":"{text}"}}}}"#
    )
}

#[test]
fn long_requests_are_refused_while_too_much_of_them_is_open() {
    measured(
        "long_requests_are_refused_while_too_much_of_them_is_open",
        async {
            let builder = builder().can_use_tool(|request| async {
                hold(request).await;
                PermissionResult::allow()
            });
            let (session, mut peer) = connect(builder).await;
            let before = Memory::now();
            let tool = permission(&"x".repeat(MIB));
            let mut refused = 0;
            for number in 0..400 {
                let id = format!("q{number}");
                assert!(soon(peer.says.request(&id, &tool)).await);
            }
            assert!(peer.says.request("last", r#"{"subtype":"nothing"}"#).await);
            let (answers, _) = peer.hear_until("last").await;
            for answer in answers {
                assert_eq!(
                    answer["response"]["response"]["behavior"], "deny",
                    "{answer}"
                );
                refused += 1;
            }
            before.is_within("400 open requests of 1 MB", 160);
            assert!((300..400).contains(&refused), "{refused} were refused");
            soon(session.close()).await.unwrap();
        },
    );
}

#[test]
fn long_ids_are_refused_and_not_remembered() {
    measured("long_ids_are_refused_and_not_remembered", async {
        let builder = builder().can_use_tool(|_| async { PermissionResult::allow() });
        let (session, mut peer) = connect(builder).await;
        let before = Memory::now();
        let long = "i".repeat(MIB);
        for number in 0..400 {
            let id = format!("{number}{long}");
            assert!(soon(peer.says.request(&id, &permission(""))).await);
            let answer = peer.hear().await.unwrap();
            assert_eq!(answer["response"]["response"]["behavior"], "deny");
            assert_eq!(answer["response"]["request_id"], *id);
        }
        before.is_within("400 ids of 1 MB", 60);
        soon(session.close()).await.unwrap();
    });
}

#[test]
fn requests_that_nobody_takes_are_bounded_even_when_they_are_taken_back() {
    measured(
        "requests_that_nobody_takes_are_bounded_even_when_they_are_taken_back",
        async {
            let (session, mut peer) = connect(builder().answer_requests()).await;
            let _requests = session.requests().unwrap();
            let before = Memory::now();
            let tool = permission(&"x".repeat(MIB));
            peer.says.request_and_take_back(400, &tool).await;
            assert!(
                peer.says
                    .request("last", r#"{"subtype":"remote_tool_call"}"#)
                    .await
            );
            assert!(
                peer.says
                    .request("last", r#"{"subtype":"elicitation"}"#)
                    .await
            );
            peer.hear_until("last").await;
            before.is_within("400 requests of 1 MB, taken back", 260);
            soon(session.close()).await.unwrap();
        },
    );
}

#[test]
fn what_is_left_of_callbacks_that_are_taken_back_is_let_go_of() {
    measured(
        "what_is_left_of_callbacks_that_are_taken_back_is_let_go_of",
        async {
            let builder = builder().can_use_tool(|request| async {
                hold(request).await;
                PermissionResult::allow()
            });
            let (session, mut peer) = connect(builder).await;
            let before = Memory::now();
            peer.says
                .request_and_take_back(100_000, &permission(""))
                .await;
            assert!(peer.says.request("last", r#"{"subtype":"nothing"}"#).await);
            peer.hear_until("last").await;
            before.is_within("100,000 callbacks, taken back", 20);
            soon(session.close()).await.unwrap();
        },
    );
}

#[test]
fn hooks_in_the_background_are_bounded() {
    measured("hooks_in_the_background_are_bounded", async {
        let what = HookFor::all().in_background();
        let builder = builder().hook::<Stop>(what, |input, _| hold(input));
        let (session, mut peer) = connect(builder).await;
        let before = Memory::now();
        let text = "x".repeat(MIB);
        let tool = format!(
            r#"{{"subtype":"hook_callback","callback_id":"hook_0","input":{{"hook_event_name":"Stop","session_id":"s","transcript_path":"/t","cwd":"/c","stop_hook_active":false,"last_assistant_message":"{text}"}}}}"#
        );
        let mut at_work = 0;
        for number in 0..400 {
            assert!(soon(peer.says.request(&format!("q{number}"), &tool)).await);
            let answer = peer.hear().await.unwrap();
            at_work += usize::from(answer["response"]["response"]["async"] == true);
        }
        before.is_within("400 hooks of 1 MB in the background", 200);
        assert!((10..100).contains(&at_work), "{at_work} are at work");
        soon(session.close()).await.unwrap();
    });
}

#[test]
fn results_that_nobody_takes_are_bounded_and_not_lost() {
    measured(
        "results_that_nobody_takes_are_bounded_and_not_lost",
        async {
            let (session, mut peer) = connect(builder().buffer(16 * MIB)).await;
            let mut turns = Vec::new();
            let mut prompts = Vec::new();
            for number in 0..300 {
                turns.push(session.send(format!("{number}")).await.unwrap());
                prompts.push(peer.hear().await.unwrap()["uuid"].clone());
            }
            let before = Memory::now();
            let text = "x".repeat(MIB);
            let mut says = tokio::spawn(async move {
                for prompt in prompts {
                    let result = format!(
                        r#"{{"type":"result","subtype":"success","is_error":false,"duration_ms":1,"duration_api_ms":1,"num_turns":1,"result":"{text}","session_id":"s","total_cost_usd":0,"stop_reason":"end_turn","usage":{{"input_tokens":0,"output_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0}},"modelUsage":{{}},"permission_denials":[],"uuid":"u","user_message_uuids":[{prompt}]}}"#
                    );
                    assert!(peer.says.say(&result).await);
                }
                peer
            });
            // All of them are taken, or nothing is read any more.
            tokio::select! {
                _ = &mut says => {}
                refused = soon(session.call(Long::new(""))) => {
                    assert!(refused.as_ref().is_err_and(Error::is_backlogged), "{refused:?}");
                }
            }
            before.is_within("300 results of 1 MB", 60);
            for turn in turns {
                let result = soon(turn.result()).await.unwrap();
                assert_eq!(result.text().len(), MIB);
            }
            let _peer = soon(says).await.unwrap();
            let ladder = Shutdown::default().grace(Duration::from_millis(50));
            soon(session.close_with(ladder)).await.unwrap();
        },
    );
}

#[cfg(feature = "mcp")]
mod mcp {
    use claw_client::rmcp::model::ProgressNotificationParam;
    use claw_client::rmcp::service::NotificationContext;
    use claw_client::rmcp::{RoleServer, ServerHandler};

    use super::*;

    /// Takes each notice, and is never done with it.
    struct Ponderous;

    impl ServerHandler for Ponderous {
        async fn on_progress(
            &self,
            notice: ProgressNotificationParam,
            _: NotificationContext<RoleServer>,
        ) {
            hold(notice).await;
        }
    }

    #[test]
    fn notices_for_a_server_that_does_not_keep_up_are_refused() {
        measured(
            "mcp::notices_for_a_server_that_does_not_keep_up_are_refused",
            async {
                let builder = builder().mcp_server("slow", Ponderous);
                let (session, mut peer) = connect(builder).await;
                let before = Memory::now();
                let text = "x".repeat(MIB);
                let notice = format!(
                    r#"{{"subtype":"mcp_message","server_name":"slow","message":{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":1,"progress":1,"message":"{text}"}}}}}}"#
                );
                let mut refused = 0;
                for number in 0..400 {
                    assert!(soon(peer.says.request(&format!("q{number}"), &notice)).await);
                    let answer = peer.hear().await.unwrap();
                    refused += usize::from(answer["response"]["subtype"] == "error");
                }
                before.is_within("400 notices of 1 MB", 160);
                assert!((300..400).contains(&refused), "{refused} were refused");
                soon(session.close()).await.unwrap();
            },
        );
    }
}
