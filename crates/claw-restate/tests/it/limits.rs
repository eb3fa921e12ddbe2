//! No time-out repeats a long turn: one that is longer than all scaled time-outs, and the arithmetic for half an hour with
//! what the server says of the workers' own.

use std::time::Duration;

use claw_testkit::Block;
use claw_testkit::api::{ApiRequest, Scenario};
use serde_json::json;
use tokio::time::sleep;

use crate::place::Place;
use crate::turns::{SESSION, hangs_once, waits};

/// The server's time-outs are a second each here. Claw's own for turns are longer than any turn, so nothing is repeated;
/// without them, the same turn is.
#[tokio::test]
async fn no_time_out_repeats_a_long_turn() {
    let short = "[worker.invoker]\ninactivity-timeout = \"1s\"\nabort-timeout = \"1s\"";
    for (has_own, attempt) in [(true, 1), (false, 2)] {
        let place = Place::with(if has_own { waits() } else { hangs_once() }, short).await;
        let worker = place.worker();
        place.restate.register(worker.address).await;
        // The handler that waits for the turn is suspended meanwhile, and loses nothing by that.
        let short_ones = json!({"inactivity_timeout": "1s", "abort_timeout": "1s"});
        place
            .restate
            .patch_service("ClaudeSession", &short_ones)
            .await;
        if !has_own {
            place.restate.patch_service("ClaudeTurn", &short_ones).await;
        }
        let open = async {
            place.api.received(ApiRequest::is_message).await;
            // Three times as long as the server's time-outs together.
            sleep(Duration::from_secs(6)).await;
            place.api.gates().open("go");
        };
        let (outcome, ()) = tokio::join!(place.prompt(SESSION, "Begin."), open);
        assert_eq!((&*outcome.text, outcome.attempt), ("Done.", attempt));
    }
}

/// A duration as the server and the proxy write it, such as `1d 1h`.
fn duration(text: &str) -> Duration {
    let part = |part: &str| {
        let at = part.find(char::is_alphabetic).unwrap();
        let (number, unit) = part.split_at(at);
        let unit = match unit {
            "s" => 1,
            "m" => 60,
            "h" => 3600,
            "d" => 24 * 3600,
            _ => panic!("{text}"),
        };
        Duration::from_secs(number.parse::<u64>().unwrap() * unit)
    };
    text.split_whitespace().map(part).sum()
}

/// The value behind a name in a configuration: `name = "value"`, or `name value`.
fn value(text: &str, name: &str) -> Duration {
    let rest = text.lines().find_map(|line| line.trim().strip_prefix(name));
    let rest = rest.unwrap_or_else(|| panic!("no {name}: {text}"));
    duration(rest.trim_matches([' ', '=', '"']))
}

/// With the default options of the worker, by what the server has registered and what the proxy runs with.
#[tokio::test]
async fn a_turn_of_half_an_hour_fits_into_every_time_out() {
    const TURN: Duration = Duration::from_mins(30);
    let place = Place::new(Scenario::always([Block::text("Yes.")])).await;
    let (_workers, proxy) = place.three(&[]).await;

    // The server's own would abort it. The test above has a longer turn, in relation to them.
    let server = place.restate.configuration();
    let of = |name| value(&server, name);
    let server = of("inactivity-timeout") + of("abort-timeout");
    assert!(TURN > server && TURN < 3 * server, "{server:?}");

    // The worker's are registered in their place: those of two turns of 12 hours, of which one waits for the other.
    let turn = place.restate.service("ClaudeTurn").await;
    let of = |name: &str| duration(turn[name].as_str().unwrap());
    let inactivity = of("inactivity_timeout");
    assert_eq!(inactivity, Duration::from_hours(2 * 12 + 1), "{turn}");
    assert!(of("abort_timeout") >= inactivity, "{turn}");
    for handler in turn["handlers"].as_array().unwrap() {
        let has_own = |name| handler.get(name).is_some();
        assert!(
            !has_own("inactivity_timeout") && !has_own("abort_timeout"),
            "{handler}"
        );
    }

    // The proxy waits longer than that, so that it is not the one that ends a turn.
    let proxy = proxy.configuration();
    for name in ["timeout client", "timeout server"] {
        assert!(value(&proxy, name) > inactivity, "{proxy}");
    }
}

/// The server's own policy has no say in how often a call is tried.
#[tokio::test]
async fn every_service_says_how_often_it_is_tried() {
    let other = "[default-retry-policy]\ninitial-interval = \"5s\"\nmax-attempts = 3\non-max-attempts = \"kill\"";
    let place = Place::with(Scenario::always([Block::text("Yes.")]), other).await;
    let worker = place.worker();
    place.restate.register(worker.address).await;
    for name in ["ClaudeSession", "ClaudeTurn", "ClaudeRequest"] {
        let policy = &place.restate.service(name).await["retry_policy"];
        assert_eq!(policy["max_attempts"], 50, "{name}: {policy}");
        let max = duration(policy["max_interval"].as_str().unwrap());
        assert_eq!(max, Duration::from_secs(30), "{name}: {policy}");
        assert_eq!(policy["on_max_attempts"], "Pause", "{name}: {policy}");
    }
}
