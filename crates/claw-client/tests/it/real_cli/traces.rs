//! The real CLI goes on with the trace that its environment names.

use claw_client::types::QueryOptions;
use claw_testkit::api::{Api, scenarios};
use futures::TryStreamExt;

use super::cli::Cli;
use crate::agent::soon;

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

/// The trace that the CLI's request for an answer names.
async fn asked_in(env: &[(&str, &str)]) -> Option<String> {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let mut options: QueryOptions = cli.options();
    let variables = options.env.as_mut().unwrap();
    // Without these it keeps its traces to itself.
    for name in [
        "CLAUDE_CODE_ENABLE_TELEMETRY",
        "CLAUDE_CODE_ENHANCED_TELEMETRY_BETA",
        "CLAUDE_CODE_PROPAGATE_TRACEPARENT",
    ] {
        variables.insert(name, Some("1".to_owned()));
    }
    for (name, value) in env {
        variables.insert(*name, Some((*value).to_owned()));
    }
    let query = soon(claw_client::query("What is 2 + 2?", options)).await;
    soon(query.unwrap().try_collect::<Vec<_>>()).await.unwrap();
    let requests = api.requests();
    let asked = requests
        .iter()
        .find(|request| request.is_message())
        .unwrap();
    let parent = asked.header("traceparent")?;
    parent.split('-').nth(1).map(str::to_owned)
}

#[tokio::test]
async fn the_cli_goes_on_with_a_trace() {
    let parent = format!("00-{TRACE}-b7ad6b7169203331-01");
    let named = asked_in(&[("TRACEPARENT", parent.as_str())]).await;
    assert_eq!(named.as_deref(), Some(TRACE));
    assert_ne!(asked_in(&[]).await.as_deref(), Some(TRACE));
}

/// No option names it: it is the context in which the session begins.
#[cfg(feature = "otel")]
#[tokio::test]
async fn the_cli_goes_on_with_the_active_trace() {
    use opentelemetry::Context;
    use opentelemetry::trace::{
        FutureExt, SpanContext, SpanId, TraceContextExt, TraceFlags, TraceId, TraceState,
    };

    let trace = TraceId::from_hex(TRACE).unwrap();
    let span = SpanId::from_hex("b7ad6b7169203331").unwrap();
    let state = TraceState::default();
    let span = SpanContext::new(trace, span, TraceFlags::SAMPLED, true, state);
    let active = Context::new().with_remote_span_context(span);
    let named = asked_in(&[]).with_context(active).await;
    assert_eq!(named.as_deref(), Some(TRACE));
}
