use serde_json::{Value, json};

use super::{Chunk, Ids, ReplyContext};
use crate::{Block, api::Reply};

fn with_context<T>(reply: &Reply, give: impl FnOnce(ReplyContext<'_>) -> T) -> T {
    give(ReplyContext {
        reply,
        model: "some-model",
        input_tokens: 33,
        ids: &Ids::default(),
    })
}

fn stream(reply: &Reply) -> Vec<Chunk> {
    with_context(reply, |context| context.stream())
}

fn events(chunks: &[Chunk]) -> Vec<(String, Value)> {
    chunks
        .iter()
        .filter_map(|chunk| match chunk {
            Chunk::Event(event) => {
                let event = std::str::from_utf8(event).unwrap();
                let (kind, data) = event.split_once('\n').unwrap();
                let kind = kind.strip_prefix("event: ").unwrap().to_owned();
                let data = data
                    .strip_prefix("data: ")
                    .unwrap()
                    .strip_suffix("\n\n")
                    .unwrap();
                Some((kind, data.parse().unwrap()))
            }
            Chunk::Hold(_) => None,
        })
        .collect()
}

#[test]
fn a_message_streams_as_the_api_does() {
    let blocks = [
        Block::text("Run it."),
        Block::tool_use("Bash", json!({"command": "true"})),
    ];
    let chunks = stream(&Reply::new(blocks));
    let events = events(&chunks);
    for (kind, data) in &events {
        assert_eq!(data["type"], kind.as_str());
    }
    let kinds: Vec<_> = events.iter().map(|(kind, _)| kind.as_str()).collect();
    let (start, delta, stop) = (
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
    );
    assert_eq!(
        kinds,
        [
            "message_start",
            start,
            delta,
            delta,
            stop,
            start,
            delta,
            delta,
            stop,
            "message_delta",
            "message_stop"
        ]
    );
    assert_eq!(events[0].1["message"]["id"], "msg_000001");
    assert_eq!(events[0].1["message"]["model"], "some-model");
    assert_eq!(events[5].1["content_block"]["id"], "toolu_0001");
    assert_eq!(events[5].1["index"], 1);
    assert_eq!(events[9].1["delta"]["stop_reason"], "tool_use");
}

#[test]
fn holds_stand_before_their_delta() {
    let blocks = [Block::text("one two").hold(0, "a").hold(2, "b")];
    let chunks = stream(&Reply::new(blocks));
    let holds: Vec<_> = chunks
        .iter()
        .enumerate()
        .filter_map(|(index, chunk)| match chunk {
            Chunk::Hold(gate) => Some((index, gate.as_str())),
            Chunk::Event(_) => None,
        })
        .collect();
    assert_eq!(holds, [(2, "a"), (5, "b")]);
}

#[test]
fn end_and_usage_can_be_given() {
    let reply = Reply::new([Block::text("Half a")])
        .stop("stop_reason", "max_tokens")
        .stop("container", json!(null))
        .usage("output_tokens", 4000)
        .usage("cache_read_input_tokens", 7);
    let events = events(&stream(&reply));
    let start = &events[0].1["message"]["usage"];
    assert_eq!(
        (
            &start["input_tokens"],
            &start["output_tokens"],
            &start["cache_read_input_tokens"]
        ),
        (&json!(33), &json!(1), &json!(7))
    );
    let end = &events[events.len() - 2].1;
    assert_eq!(
        end["delta"],
        json!({"stop_reason": "max_tokens", "stop_sequence": null, "container": null})
    );
    assert_eq!(
        end["usage"],
        json!({"input_tokens": 33, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 7, "output_tokens": 4000})
    );
}

#[test]
fn a_stream_may_break_off() {
    let reply = Reply::new([Block::text("Half a")]).broken_off("overloaded_error", "Overloaded");
    let events = events(&stream(&reply));
    let (kind, last) = events.last().unwrap();
    assert_eq!(kind, "error");
    assert_eq!(
        *last,
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
    );
    assert!(events.iter().all(|(kind, _)| kind != "message_delta"));
}

#[test]
fn a_message_may_come_whole() {
    let reply = Reply::new([
        Block::text("Run it."),
        Block::tool_use("Bash", json!({"command": "true"})),
    ])
    .usage("output_tokens", 40);
    let message: Value = with_context(&reply, |context| context.whole())
        .parse()
        .unwrap();
    assert_eq!(message["model"], "some-model");
    assert_eq!(
        message["content"],
        json!([
            {"type": "text", "text": "Run it."},
            {"type": "tool_use", "id": "toolu_0001", "name": "Bash", "input": {"command": "true"}},
        ])
    );
    assert_eq!(message["stop_reason"], "tool_use");
    assert_eq!(message["stop_sequence"], Value::Null);
    assert_eq!(message["usage"]["input_tokens"], 33);
    assert_eq!(message["usage"]["output_tokens"], 40);
}
