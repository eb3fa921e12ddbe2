use std::fs;

use serde_json::{Value, json};

use super::*;
use crate::testing::{ONE, TWO, TestHome};

fn used(place: &TestHome, id: &str) -> SessionUsage {
    place.sessions().find(id).unwrap().usage().unwrap()
}

fn usd(dollars: f64) -> Usd {
    Usd::from_dollars(dollars).unwrap()
}

/// Returns a line of an answer that has used this many tokens.
fn answer(id: &str, tokens: u64) -> Value {
    json!({
        "type": "assistant", "uuid": format!("{id}-{tokens}"), "requestId": format!("req_{id}"),
        "timestamp": "2026-11-22T10:00:00.000Z", "cwd": "/work/project",
        "message": {
            "id": id, "model": "claude-a", "content": [{"type": "text", "text": "\u{1f600}"}],
            "usage": {
                "input_tokens": tokens, "output_tokens": 2 * tokens,
                "cache_read_input_tokens": null, "cache_creation_input_tokens": 3,
                "cache_creation": {"ephemeral_1h_input_tokens": 1, "ephemeral_5m_input_tokens": 2},
                "output_tokens_details": {"thinking_tokens": 1},
                "server_tool_use": {"web_search_requests": 1},
            },
        },
    })
}

fn with(mut line: Value, path: &str, value: impl Into<Value>) -> Value {
    let (parent, key) = path.rsplit_once('/').unwrap();
    line.pointer_mut(parent).unwrap()[key] = value.into();
    line
}

fn cost(usd: f64) -> Value {
    json!({"type": "cost-state", "sessionId": ONE, "totalCostUSD": usd,
        "modelUsage": {"claude-a[1m]": {"inputTokens": 1, "outputTokens": 1, "costUSD": usd}}})
}

#[test]
fn an_answer_counts_once_with_its_last_usage() {
    let place = TestHome::new();
    let other = with(answer("b", 5), "/message/model", "claude-b");
    let other = with(other, "/timestamp", "2026-11-23T00:00:00Z");
    let lines = [
        json!({"type": "user", "cwd": "/work/project", "message": {"content": "\"usage\":{ \"type\":\"assistant\""}}),
        answer("a", 1),
        answer("a", 7),
        other,
        with(answer("c", 100), "/message/model", "<synthetic>"),
    ];
    place.write("p", &format!("{ONE}.jsonl"), &lines);
    let usage = used(&place, ONE);
    assert_eq!(usage.total.all.answers, 2);
    let expected = Tokens {
        input: 12,
        output: 24,
        thinking: 2,
        cache_read: 0,
        cache_write: 6,
        cache_write_1h: 2,
        web_searches: 2,
    };
    assert_eq!(usage.total.all.tokens, expected);
    assert_eq!(expected.total(), 42);
    assert_eq!(usage.by_model["claude-a"].all.tokens.input, 7);
    assert_eq!(usage.by_model["claude-b"].all.tokens.input, 5);
    let days: Vec<_> = usage.by_day.keys().collect();
    assert_eq!(days, ["2026-11-22", "2026-11-23"]);
    assert_eq!(usage.project.as_deref(), Some("/work/project"));
    assert_eq!(usage.total.cost, None);
    assert!(usage.problems.is_empty(), "{:?}", usage.problems);
}

#[test]
fn sub_agents_are_part_of_it_and_told_apart() {
    let place = TestHome::new();
    let side = with(answer("old", 4), "/isSidechain", true);
    place.write("p", &format!("{ONE}.jsonl"), &[answer("a", 1), side]);
    // The sub-agent begins with a copy of the conversation.
    let agent = [answer("a", 1), answer("b", 10)];
    place.write(
        "p",
        &format!("{ONE}/subagents/workflows/w/agent-x.jsonl"),
        &agent,
    );
    let usage = used(&place, ONE);
    assert_eq!(usage.total.all.answers, 3);
    assert_eq!(usage.total.subagents.answers, 2);
    assert_eq!(usage.total.subagents.tokens.input, 14);
    assert_eq!(usage.by_subagent["x"].tokens.input, 10);
    assert_eq!(usage.by_subagent["unknown"].tokens.input, 4);
}

#[test]
fn a_cost_is_what_the_cli_wrote_and_whole_only_at_the_end() {
    let place = TestHome::new();
    let name = format!("{ONE}.jsonl");
    let lines = [answer("a", 1), cost(0.25), answer("b", 1), cost(0.75)];
    place.write("p", &name, &lines);
    let whole = Some(Cost {
        usd: usd(0.75),
        is_whole: true,
    });
    let usage = used(&place, ONE);
    assert_eq!(usage.total.cost, whole);
    assert_eq!(usage.by_model["claude-a"].cost, whole);
    assert_eq!(usage.by_day["2026-11-22"].cost, whole);
    assert_eq!(place.sessions().find(ONE).unwrap().cost().unwrap(), whole);

    place.write("p", &name, &[&lines[..], &[answer("c", 1)]].concat());
    let part = Some(Cost {
        usd: usd(0.75),
        is_whole: false,
    });
    assert_eq!(used(&place, ONE).total.cost, part);
    assert_eq!(place.sessions().find(ONE).unwrap().cost().unwrap(), part);

    // The line has one model under two names.
    let mut two = cost(0.75);
    two["modelUsage"]["claude-a"] = json!({"costUSD": 0.25});
    place.write("p", &name, &[answer("a", 1), two]);
    let models = used(&place, ONE).by_model;
    let whole = Some(Cost {
        usd: usd(1.0),
        is_whole: true,
    });
    assert_eq!(models["claude-a"].cost, whole);

    // The cost of each of two days is not known. A negative number is not a cost.
    let later = with(answer("b", 1), "/timestamp", "2026-12-01T00:00:00Z");
    place.write("p", &name, &[answer("a", 1), later, cost(1.0)]);
    assert_eq!(used(&place, ONE).by_day["2026-12-01"].cost, None);
    place.write("p", &name, &[answer("a", 1), cost(-1.0)]);
    assert_eq!(used(&place, ONE).total.cost, None);
}

#[test]
fn among_many_an_answer_counts_where_it_was_given() {
    let place = TestHome::new();
    let copy = with(
        answer("a", 1),
        "/forkedFrom",
        json!({"sessionId": ONE, "messageUuid": "u"}),
    );
    let gone = with(
        answer("g", 8),
        "/forkedFrom",
        json!({"sessionId": "gone", "messageUuid": "u"}),
    );
    place.write(
        "fork",
        &format!("{TWO}.jsonl"),
        &[copy, gone, answer("b", 2), cost(0.5)],
    );
    place.write("p", &format!("{ONE}.jsonl"), &[answer("a", 1), cost(0.25)]);
    let report = place.sessions().usage().run().unwrap();
    assert_eq!((report.sessions, report.total.all.answers), (2, 3));
    assert_eq!(report.total.all.tokens.input, 11);
    // The cost of a copy whose original was removed is not known.
    assert_eq!(
        report.total.cost,
        Some(Cost {
            usd: usd(0.75),
            is_whole: false
        })
    );
    assert_eq!(used(&place, TWO).total.all.answers, 3);

    // A fork that the CLI made does not name its origin, and its cost includes the cost of the original.
    place.write(
        "fork",
        &format!("{TWO}.jsonl"),
        &[answer("a", 1), answer("b", 2), cost(0.5)],
    );
    let report = place.sessions().usage().run().unwrap();
    assert_eq!(report.total.all.answers, 2);
    let cost = report.total.cost.unwrap();
    assert!(!cost.is_whole || cost.usd == usd(0.5), "{cost:?}");
}

#[test]
fn what_cannot_be_read_is_told_and_spoils_nothing() {
    let place = TestHome::new();
    let path = place.path("p", &format!("{ONE}.jsonl"));
    let broken = answer("b", 1).to_string();
    let cut = &broken[..broken.len() - 3];
    let number = with(answer("d", 1), "/message/usage/input_tokens", -1);
    let text = format!(
        "{}\n{cut}\n{number}\n\u{0}\n\n{}\n{cut}",
        answer("a", 1),
        with(answer("c", 1), "/message/usage/input_tokens", u64::MAX)
    );
    fs::write(path, text).unwrap();
    let usage = used(&place, ONE);
    assert_eq!(usage.total.all.answers, 2);
    assert_eq!(usage.total.all.tokens.input, u64::MAX);
    let [
        Error::Broken {
            count: 2, first: 2, ..
        },
    ] = &usage.problems[..]
    else {
        panic!("{:?}", usage.problems);
    };
    place.write(
        "p",
        &format!("{TWO}.jsonl"),
        &[with(answer("e", 1), "/timestamp", "soon")],
    );
    let report = place.sessions().usage().run().unwrap();
    assert_eq!(report.by_day[UNDATED].all.answers, 1);
    assert_eq!(report.problems.len(), 1);
}

#[test]
#[cfg(unix)]
fn no_link_is_followed_and_no_pipe_waited_for() {
    let place = TestHome::new();
    place.write("p", &format!("{ONE}.jsonl"), &[answer("a", 1)]);
    std::os::unix::fs::symlink(
        place.path("p", &format!("{ONE}.jsonl")),
        place.path("p", &format!("{TWO}.jsonl")),
    )
    .unwrap();
    let pipe = place.path("q", &format!("{TWO}.jsonl"));
    assert!(
        std::process::Command::new("mkfifo")
            .arg(pipe)
            .status()
            .unwrap()
            .success()
    );
    let report = place.sessions().usage().run().unwrap();
    assert_eq!((report.sessions, report.problems.len()), (1, 0));
}

#[test]
fn a_line_that_is_too_long_is_passed_over_and_told() {
    let place = TestHome::new();
    let path = place.path("p", &format!("{ONE}.jsonl"));
    fs::write(&path, format!("{}\n", answer("a", 1))).unwrap();
    let file = fs::OpenOptions::new().write(true).open(path).unwrap();
    file.set_len(100 << 20).unwrap();
    let usage = used(&place, ONE);
    assert_eq!(usage.total.all.answers, 1);
    let problems = &usage.problems[..];
    assert!(
        matches!(problems, [Error::Broken { first: 2, .. }]),
        "{problems:?}"
    );
}

const PRICES: &str = r#"{
    "date": "2026-11-25", "webSearch": 0.01,
    "models": {"claude-a": {
        "input": 1, "output": 10, "cacheRead": 0.5, "cacheWrite5m": 2, "cacheWrite1h": 4,
        "fast": {"input": 2, "output": 20, "cacheRead": 1, "cacheWrite5m": 4, "cacheWrite1h": 8}
    }}
}"#;

#[test]
fn costs_are_estimated_and_an_unknown_one_is_never_zero() {
    let place = TestHome::new();
    let written = with(
        with(answer("w", 1), "/costUSD", 0.5),
        "/timestamp",
        "2026-11-30T01:00:00Z",
    );
    let later = with(answer("c", 1), "/timestamp", "2026-12-01T00:00:00Z");
    let lines = [
        answer("a", 1),
        answer("a", 1000),
        with(answer("f", 1000), "/message/usage/speed", "fast"),
        with(answer("u", 7), "/message/model", "claude-of-tomorrow"),
        written,
        later,
    ];
    place.write("p", &format!("{ONE}.jsonl"), &lines);
    let prices = Prices::from_json(PRICES).unwrap();
    let sessions = place.sessions();
    let report = sessions.usage().prices(&prices).run().unwrap();
    // The answer has 1000 input tokens, 2000 output tokens, 2 tokens written for five minutes, 1 token written for an
    // hour, and a search.
    let standard = usd(0.001 + 0.02 + 0.000_008 + 0.01);
    let fast = usd(0.002 + 0.04 + 0.000_016 + 0.01);
    let small = usd(0.000_001 + 0.000_02 + 0.000_008 + 0.01);
    let total = report.total.estimate.unwrap();
    assert_eq!(total.usd, standard + fast + small + usd(0.5));
    assert_eq!(total.written_usd, usd(0.5));
    assert_eq!(total.unpriced_answers, 1);
    assert_eq!(report.total.cost, None);
    let unpriced: Vec<_> = report.unpriced_models.iter().collect();
    assert_eq!(unpriced, ["claude-of-tomorrow"]);
    let unknown = report.by_model["claude-of-tomorrow"];
    assert_eq!(unknown.all.tokens.input, 7);
    assert_eq!(unknown.estimate.unwrap().unpriced_answers, 1);

    // Every table has the same sum.
    for table in [
        &report.by_day,
        &report.by_week,
        &report.by_month,
        &report.by_model,
        &report.by_project,
        &report.by_session,
    ] {
        let sum = table.values().fold(Estimate::default(), |mut sum, usage| {
            sum += usage.estimate.unwrap();
            sum
        });
        assert_eq!(sum, total, "{table:?}");
    }
    let weeks: Vec<_> = report.by_week.keys().collect();
    assert_eq!(weeks, ["2026-W47", "2026-W49"]);
    let months: Vec<_> = report.by_month.keys().collect();
    assert_eq!(months, ["2026-11", "2026-12"]);
    assert_eq!(report.by_session[ONE].all.answers, 5);

    let range = sessions.usage().since("2026-11-23").until("2026-11-30");
    let range = range.prices(&prices).run().unwrap();
    assert_eq!(range.total.estimate.unwrap().usd, usd(0.5));
    assert!(sessions.usage().until("2026-02-31").run().is_err());
    // Nothing is estimated without prices.
    assert_eq!(sessions.usage().run().unwrap().total.estimate, None);

    let one = sessions.find(ONE).unwrap();
    let zone = Zone::fixed(-120);
    let one = one.usage_at(&prices, &zone).unwrap();
    assert_eq!(one.total.estimate, Some(total));
    let days: Vec<_> = one.by_day.keys().collect();
    assert_eq!(days, ["2026-11-22", "2026-11-29", "2026-11-30"]);
}

#[test]
fn a_report_with_a_cache_reads_what_has_changed() {
    let place = TestHome::new();
    let one = format!("{ONE}.jsonl");
    place.write("p", &one, &[answer("a", 1), cost(0.25)]);
    place.write("p", &format!("{TWO}.jsonl"), &[answer("b", 2)]);
    let mut cache = UsageCache::new(Prices::shipped().clone(), Zone::default());
    let sessions = place.sessions();
    let input = |cache: &mut UsageCache| {
        let report = sessions.usage().run_cached(cache).unwrap();
        (report.total.all.tokens.input, cache.reads)
    };
    assert_eq!(input(&mut cache), (3, 2));
    assert_eq!(input(&mut cache), (3, 2));
    // The first session gets a sub-agent.
    let agent = format!("{ONE}/subagents/agent-x.jsonl");
    place.write("p", &agent, &[answer("c", 10)]);
    assert_eq!(input(&mut cache), (13, 3));
    place.write("p", &one, &[answer("a", 1), answer("d", 100)]);
    assert_eq!(input(&mut cache), (113, 4));
    // The report is the same as without a cache, also for a part of the days.
    let plain = sessions.usage().prices(Prices::shipped());
    let cached = sessions.usage().since("2026-11-22");
    let cached = cached.run_cached(&mut cache).unwrap();
    let plain = plain.since("2026-11-22").run().unwrap();
    assert_eq!(cached.by_day, plain.by_day);
    assert_eq!(cached.by_session, plain.by_session);
    assert_eq!(cached.total, plain.total);
    // The report contains only the named session.
    let named = vec![place.sessions().find(TWO).unwrap()];
    let report = sessions.usage().of(named);
    let report = report.run_cached(&mut cache).unwrap();
    assert_eq!(report.by_session.keys().collect::<Vec<_>>(), [TWO]);
    assert_eq!(cache.reads, 4);
}

#[test]
fn a_report_that_nobody_waits_for_reads_nothing_more_and_forgets_nothing() {
    let place = TestHome::new();
    place.write("p", &format!("{ONE}.jsonl"), &[answer("a", 1)]);
    place.write("p", &format!("{TWO}.jsonl"), &[answer("b", 2)]);
    let sessions = place.sessions();
    let mut cache = UsageCache::new(Prices::shipped().clone(), Zone::default());
    let flag = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let ended = sessions.usage().end_when(flag.clone());
    let ended = ended.run_cached(&mut cache).unwrap();
    assert_eq!((ended.sessions, cache.reads), (0, 0));
    let whole = sessions.usage().run_cached(&mut cache).unwrap();
    assert_eq!((whole.sessions, cache.reads), (2, 2));
    let ended = sessions.usage().end_when(flag);
    assert_eq!(ended.run_cached(&mut cache).unwrap().sessions, 0);
    let again = sessions.usage().run_cached(&mut cache).unwrap();
    assert_eq!((again.sessions, cache.reads), (2, 2));
}

#[test]
fn what_a_cache_keeps_is_bounded_and_what_cannot_be_read_is_read_again() {
    let place = TestHome::new();
    let sessions = place.sessions();
    place.write(
        "p",
        &format!("{ONE}.jsonl"),
        &[answer("a", 1), answer("b", 1)],
    );
    place.write("p", &format!("{TWO}.jsonl"), &[answer("c", 2)]);
    let cache = UsageCache::new(Prices::shipped().clone(), Zone::default());
    let mut cache = cache.with_most(2);
    for reads in [2, 3] {
        let report = sessions.usage().run_cached(&mut cache).unwrap();
        assert_eq!((report.total.all.answers, cache.reads), (3, reads));
    }
    let mut cache = UsageCache::new(Prices::shipped().clone(), Zone::default());
    let broken = with(answer("a", 1), "/message/usage/input_tokens", "many");
    place.write("p", &format!("{ONE}.jsonl"), &[broken]);
    for reads in [2, 3] {
        let report = sessions.usage().run_cached(&mut cache).unwrap();
        assert_eq!((report.problems.len(), cache.reads), (1, reads));
    }
}

#[test]
fn two_copies_of_a_session_count_each_answer_once() {
    let place = TestHome::new();
    let sessions = place.sessions();
    // The disk has an answer that the other copy lacks, and an old line of the last answer.
    let lines = [
        answer("a", 1),
        cost(0.25),
        answer("mine", 2),
        answer("b", 1),
    ];
    place.write("p", &format!("{ONE}.jsonl"), &lines);
    let mut cache = UsageCache::new(Prices::shipped().clone(), Zone::default());
    let elsewhere = |id: &str, lines: &[Value], cache: &UsageCache| {
        let mut answers = cache.answers(&SessionId::from(id));
        for line in lines {
            answers.line(line.to_string().as_bytes(), None);
        }
        answers.line(answer("agent", 9).to_string().as_bytes(), Some("x"));
        answers.line(b"{\"type\":\"assistant\",\"usage\":{", None);
        assert_eq!((answers.count(), answers.unreadable()), (3, 1));
        std::sync::Arc::new(answers)
    };
    let stored = [answer("a", 1), cost(0.25), answer("b", 6), cost(0.75)];
    let stored = elsewhere(ONE, &stored, &cache);
    let with_disk = UsageSource::from(stored.clone());
    let with_disk = with_disk.and_on_disk(sessions.find(ONE).unwrap());
    let mut report = |source: UsageSource| {
        let report = sessions.usage().of([source]);
        report.run_cached(&mut cache).unwrap()
    };
    let alone = report(stored.into());
    assert_eq!(alone.sessions, 1);
    assert_eq!(alone.total.all.tokens.input, 1 + 6 + 9);
    assert_eq!(alone.total.subagents.answers, 1);
    let (usd, is_whole) = (usd(0.75), true);
    assert_eq!(alone.total.cost, Some(Cost { usd, is_whole }));
    let both = report(with_disk);
    assert_eq!(both.by_session.keys().collect::<Vec<_>>(), [ONE]);
    assert_eq!(both.sessions, 1);
    assert_eq!(both.total.all.tokens.input, 1 + 2 + 6 + 9);
    // No copy contains the cost of the answer that only this disk has.
    let is_whole = false;
    assert_eq!(both.total.cost, Some(Cost { usd, is_whole }));
}
