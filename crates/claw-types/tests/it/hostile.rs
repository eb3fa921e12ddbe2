//! Lines made to hurt: deep, wide, repetitive. They cost time in proportion to their length, and no
//! stack.

use std::time::{Duration, Instant};

use claw_types::{Json, Map, Message, StdoutMessage, from_line};

use crate::support::seed;

/// Runs on a small stack, and not for long: what grows with the square of these lengths takes
/// minutes.
fn bounded<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    let started = Instant::now();
    let value = std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(run)
        .unwrap()
        .join()
        .unwrap();
    assert!(
        started.elapsed() < Duration::from_mins(1),
        "{:?}",
        started.elapsed()
    );
    value
}

fn read(line: String) -> Result<StdoutMessage, String> {
    bounded(move || {
        let read = from_line::<StdoutMessage>(line.as_bytes());
        let strict = serde_json::from_str::<StdoutMessage>(&line);
        assert_eq!(read.is_ok(), strict.is_ok());
        let written = read
            .as_ref()
            .ok()
            .map(|v| serde_json::to_string(v).unwrap());
        assert!(written.is_none_or(|written| written.len() <= line.len()));
        read.map_err(|error| error.to_string())
    })
}

fn nested(depth: usize, before: &str, inner: &str, after: &str) -> String {
    format!("{}{inner}{}", before.repeat(depth), after.repeat(depth))
}

#[test]
fn free_json_may_be_deep() {
    for depth in [1_000, 100_000] {
        let deep = nested(depth, "[", "", "]");
        for line in [
            format!(r#"{{"type":"keep_alive","x":{deep}}}"#),
            format!(r#"{{"x":{deep},"type":"keep_alive"}}"#),
            format!(r#"{{"x":{deep},"type":"of_tomorrow"}}"#),
            seed("user_tool_result").replace("\"hi\",\"stderr\"", &format!("{deep},\"stderr\"")),
            seed("assistant_blocks").replace("[[[{\"type\":\"result\"}]]]", &deep),
        ] {
            assert!(read(line).is_ok());
        }
    }
    let deep = nested(100_000, "{\"a\":[", "1", "]}");
    let json = Json::from_text(deep.clone()).unwrap();
    assert_eq!(json.as_raw(), deep);
    assert_eq!(json, Json::from_text(deep.replace(':', " : ")).unwrap());
    assert!(json.to_value().is_err());
}

#[test]
fn deep_syntax_errors_are_errors() {
    for line in [
        "[".repeat(100_000),
        "{\"a\":".repeat(100_000),
        format!("{{\"type\":\"user\",\"message\":{}", "[".repeat(100_000)),
        nested(100_000, "[", "", "]"),
    ] {
        assert!(read(line).is_err());
    }
}

#[test]
fn blocks_in_blocks_end_in_an_error() {
    // With the tag last, each level is read a second time, by a deserializer of its own.
    for (before, after) in [
        (
            r#"{"type":"tool_result","tool_use_id":"t","content":["#,
            "]}",
        ),
        (
            r#"{"content":["#,
            r#"],"tool_use_id":"t","type":"tool_result"}"#,
        ),
        (
            r#"{"tool_use_id":"t","type":"tool_result","content":["#,
            "]}",
        ),
    ] {
        for (depth, is_read) in [(20, true), (1_000, false), (20_000, false)] {
            let block = nested(depth, before, r#"{"type":"text","text":"x"}"#, after);
            let line = seed("user_text").replace(r#""What is 2 + 2?""#, &format!("[{block}]"));
            let read = read(line);
            assert_eq!(read.is_ok(), is_read, "{before} {depth} {read:.300?}");
        }
    }
    // Each second level tag-last.
    let pair = r#"{"content":[{"type":"tool_result","tool_use_id":"t","content":["#;
    let block = nested(
        10_000,
        pair,
        "",
        r#"]}],"tool_use_id":"t","type":"tool_result"}"#,
    );
    let line = seed("user_text").replace(r#""What is 2 + 2?""#, &format!("[{block}]"));
    assert!(read(line).unwrap_err().contains("recursion limit"));
}

#[test]
fn requests_in_answers_end_in_an_error() {
    let before = r#"{"response":{"request_id":"r","pending_permission_requests":["#;
    let after = r#"],"subtype":"success"},"type":"control_response"}"#;
    // A list of requests holds no answers: the first is refused.
    assert!(read(nested(10_000, before, "", after)).is_err());
}

#[test]
fn a_limit_that_was_reached_is_forgotten() {
    let block = nested(
        1_000,
        r#"{"content":["#,
        "",
        r#"],"tool_use_id":"t","type":"tool_result"}"#,
    );
    let line = seed("user_text").replace(r#""What is 2 + 2?""#, &format!("[{block}]"));
    for _ in 0..3 {
        assert!(from_line::<Message>(line.as_bytes()).is_err());
        assert!(from_line::<Message>(seed("user_prompt").as_bytes()).is_ok());
    }
}

#[test]
fn many_keys_are_compared() {
    const MANY: usize = 300_000;
    bounded(|| {
        let extra = |keys: &mut dyn Iterator<Item = usize>| {
            let keys: Vec<_> = keys.map(|i| format!("\"k{i}\":{i}")).collect();
            let keys = keys.join(",");
            from_line::<StdoutMessage>(format!("{{\"type\":\"keep_alive\",{keys}}}").as_bytes())
                .unwrap()
        };
        assert!(extra(&mut (0..MANY)) == extra(&mut (0..MANY).rev()));
        assert!(extra(&mut (0..MANY)) != extra(&mut (1..=MANY)));
        let map: Map<usize> = (0..MANY).map(|i| (i.to_string(), i)).collect();
        let back: Map<usize> = (0..MANY).rev().map(|i| (i.to_string(), i)).collect();
        assert!(map == back);
    });
}

#[test]
fn a_hundred_thousand_keys() {
    let keys = |key: &dyn Fn(usize) -> String| {
        let keys: Vec<_> = (0..100_000)
            .map(|i| format!("\"{}\":{i}", key(i)))
            .collect();
        keys.join(",")
    };
    let distinct = keys(&|i| format!("k{i}"));
    let same = keys(&|_| "same".to_owned());
    let known = vec![r#""startup_mark":null,"startup_mark":"a""#; 50_000].join(",");
    for keys in [
        distinct.clone(),
        same,
        known.clone(),
        format!("{distinct},{known}"),
    ] {
        assert!(read(format!("{{\"type\":\"keep_alive\",{keys}}}")).is_ok());
        assert!(read(format!("{{{keys},\"type\":\"keep_alive\"}}")).is_ok());
        assert!(read(format!("{{{keys},\"type\":\"of_tomorrow\"}}")).is_ok());
        let usage = seed("result_success").replace(
            "\"output_tokens\":12,",
            &format!("\"output_tokens\":12,{keys},"),
        );
        assert!(read(usage).is_ok());
    }
}

#[test]
fn twenty_thousand_models() {
    let seed = seed("result_success");
    let start = seed.find("\"modelUsage\":{\"zeta\":").unwrap() + 21;
    let model = &seed[start..=start + seed[start..].find('}').unwrap()];
    for key in ["m", "same"] {
        let models: Vec<_> = (0..20_000)
            .map(|i| match key {
                "m" => format!("\"m{i}\":{model}"),
                _ => format!("\"same\":{model}"),
            })
            .collect();
        let line = seed.replace("\"zeta\"", &format!("{},\"zeta\"", models.join(",")));
        assert!(read(line).is_ok());
    }
}

#[test]
fn long_lists_and_many_tags() {
    let block = r#"{"text":"x","type":"text"}"#;
    let blocks = vec![block; 100_000].join(",");
    assert!(read(seed("assistant_text").replace("[{", &format!("[{blocks},{{"))).is_ok());
    // Every one of them might be the line's own.
    let tags = vec![r#"{"type":"result","subtype":"success"}"#; 200_000].join(",");
    assert!(read(format!(r#"{{"x":[{tags}],"type":"keep_alive"}}"#)).is_ok());
    let tags = r#""type":"system","subtype":"init","#.repeat(100_000);
    assert!(read(format!(r#"{{{tags}"type":"system"}}"#)).is_err());
    assert!(
        read(format!(
            r#"{{"a":"\ud83d{}","type":"keep_alive"}}"#,
            "\\n".repeat(1_000_000)
        ))
        .is_ok()
    );
}
