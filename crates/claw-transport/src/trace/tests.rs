use claw_types::Map;
use claw_types::options::QueryOptions;
use opentelemetry::trace::{SpanId, TraceId, TraceState};
use tracing_subscriber::layer::SubscriberExt as _;

use super::*;
use crate::Subprocess;

const TRACEPARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/// Returns the context of a request from another service.
fn remote(state: &[(&str, &str)]) -> Context {
    let id = TraceId::from_hex("0af7651916cd43dd8448eb211c80319c").unwrap();
    let span = SpanId::from_hex("b7ad6b7169203331").unwrap();
    let state = TraceState::from_key_value(state.iter().copied()).unwrap();
    let span = SpanContext::new(id, span, TraceFlags::SAMPLED, true, state);
    Context::new().with_remote_span_context(span)
}

/// The CLI inherits the host's value.
const INHERITED: &str = "inherited";
/// The variable is removed from the CLI's environment.
const UNSET: &str = "unset";

/// Returns the values of the two variables that the CLI gets.
fn given(env: &[(&str, Option<&str>)]) -> [String; 2] {
    let mut variables = Map::default();
    for (name, value) in env {
        variables.insert(*name, value.map(str::to_owned));
    }
    let options = QueryOptions::default()
        .path_to_claude_code_executable(std::env::current_exe().unwrap())
        .env(variables);
    let command = Subprocess::new(&options).command().unwrap();
    [PARENT, STATE].map(|name| match command.env.get(OsStr::new(name)) {
        None => INHERITED.to_owned(),
        Some(None) => UNSET.to_owned(),
        Some(Some(text)) => text.to_str().unwrap().to_owned(),
    })
}

#[test]
fn without_a_span_nothing_is_said() {
    assert_eq!(given(&[]), [INHERITED, INHERITED]);
}

#[test]
fn the_active_context_is_handed_on() {
    let _active = remote(&[("vendor", "a")]).attach();
    assert_eq!(given(&[]), [TRACEPARENT, "vendor=a"]);
}

#[test]
fn a_trace_without_a_state_takes_no_inherited_one() {
    let _active = remote(&[]).attach();
    assert_eq!(given(&[]), [TRACEPARENT, UNSET]);
}

#[test]
fn the_span_of_tracing_is_handed_on() {
    let layer = tracing_opentelemetry::layer();
    let subscriber = tracing_subscriber::registry().with(layer);
    tracing::subscriber::with_default(subscriber, || {
        let span = tracing::info_span!("request");
        span.set_parent(remote(&[])).unwrap();
        let [outside, _] = given(&[]);
        assert_eq!(outside, INHERITED);
        let [inside, _] = span.in_scope(|| given(&[]));
        // The trace is that of the parent, but the span may be a new span of the host's tracer.
        assert_eq!(inside.split('-').nth(1), TRACEPARENT.split('-').nth(1));
    });
}

#[test]
fn what_the_options_say_goes_first() {
    let _active = remote(&[("vendor", "a")]).attach();
    assert_eq!(given(&[(PARENT, Some("mine"))]), ["mine", INHERITED]);
    assert_eq!(given(&[(PARENT, None)]), [UNSET, INHERITED]);
    assert_eq!(given(&[(STATE, Some("b=c"))]), [INHERITED, "b=c"]);
}
