//! Passes the trace of the host's active span to the CLI (feature `otel`).

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use opentelemetry::Context;
use opentelemetry::trace::{SpanContext, TraceContextExt as _, TraceFlags};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// The environment variables for a trace, in the form of the headers of W3C Trace Context.
const PARENT: &str = "TRACEPARENT";
const STATE: &str = "TRACESTATE";

/// Sets both variables if the host has an active span and the options set neither of them. Without an active span, the
/// CLI inherits the variables that the host inherited.
pub(crate) fn pass_on(env: &mut BTreeMap<OsString, Option<OsString>>) {
    if [PARENT, STATE]
        .map(OsStr::new)
        .iter()
        .any(|name| env.contains_key(*name))
    {
        return;
    }
    if let Some(span) = active() {
        env.insert(PARENT.into(), Some(parent(&span).into()));
        // A state that the host inherited belongs to another trace, so it is removed.
        let state = Some(span.trace_state().header()).filter(|state| !state.is_empty());
        env.insert(STATE.into(), state.map(Into::into));
    }
}

/// Returns the active span. It is the span of `tracing` if the OpenTelemetry layer of `tracing` knows it, and otherwise
/// the span of OpenTelemetry itself.
fn active() -> Option<SpanContext> {
    let valid = |context: &Context| {
        Some(context.span().span_context().clone()).filter(SpanContext::is_valid)
    };
    valid(&tracing::Span::current().context()).or_else(|| valid(&Context::current()))
}

fn parent(span: &SpanContext) -> String {
    let flags = span.trace_flags() & TraceFlags::SAMPLED;
    format!("00-{}-{}-{:02x}", span.trace_id(), span.span_id(), flags)
}

#[cfg(test)]
mod tests;
