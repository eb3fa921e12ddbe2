use claw_types::Map;
use claw_types::options::QueryOptions;
use opentelemetry::trace::{SpanId, TraceId, TraceState};
use tracing_subscriber::layer::SubscriberExt as _;

use super::*;
use crate::Subprocess;

const TRACEPARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/// As it comes with a request from another service.
fn remote(state: &[(&str, &str)]) -> Context {
    let id = TraceId::from_hex("0af7651916cd43dd8448eb211c80319c").unwrap();
    let span = SpanId::from_hex("b7ad6b7169203331").unwrap();
    let state = TraceState::from_key_value(state.iter().copied()).unwrap();
    let span = SpanContext::new(id, span, TraceFlags::SAMPLED, true, state);
    Context::new().with_remote_span_context(span)
}

/// What the CLI gets: absent where it is the host's own.
fn given(env: &[(&str, Option<&str>)]) -> [Option<Option<String>>; 2] {
    let mut variables = Map::default();
    for (name, value) in env {
        variables.insert(*name, value.map(str::to_owned));
    }
    let options = QueryOptions::default()
        .path_to_claude_code_executable(std::env::current_exe().unwrap())
        .env(variables);
    let command = Subprocess::new(&options).command().unwrap();
    [PARENT, STATE].map(|name| {
        let value = command.env.get(OsStr::new(name))?;
        Some(value.as_ref().map(|text| text.to_str().unwrap().to_owned()))
    })
}

fn text(value: &str) -> Option<Option<String>> {
    Some(Some(value.to_owned()))
}

#[test]
fn without_a_span_nothing_is_said() {
    assert_eq!(given(&[]), [None, None]);
}

#[test]
fn the_active_context_is_handed_on() {
    let _active = remote(&[("vendor", "a")]).attach();
    assert_eq!(given(&[]), [text(TRACEPARENT), text("vendor=a")]);
}

#[test]
fn a_trace_without_a_state_takes_no_inherited_one() {
    let _active = remote(&[]).attach();
    assert_eq!(given(&[]), [text(TRACEPARENT), Some(None)]);
}

#[test]
fn the_span_of_tracing_is_handed_on() {
    let layer = tracing_opentelemetry::layer();
    let subscriber = tracing_subscriber::registry().with(layer);
    tracing::subscriber::with_default(subscriber, || {
        let span = tracing::info_span!("request");
        span.set_parent(remote(&[])).unwrap();
        let [outside, _] = given(&[]);
        assert_eq!(outside, None);
        let [inside, _] = span.in_scope(|| given(&[]));
        // The parent's trace; the span is its own, where the host's tracer makes some.
        let inside = inside.unwrap().unwrap();
        assert_eq!(inside.split('-').nth(1), TRACEPARENT.split('-').nth(1));
    });
}

#[test]
fn what_the_options_say_goes_first() {
    let _active = remote(&[("vendor", "a")]).attach();
    assert_eq!(given(&[(PARENT, Some("mine"))]), [text("mine"), None]);
    assert_eq!(given(&[(PARENT, None)]), [Some(None), None]);
    assert_eq!(given(&[(STATE, Some("b=c"))]), [None, text("b=c")]);
}
