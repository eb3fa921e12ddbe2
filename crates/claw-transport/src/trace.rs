//! The trace of the host's active span, for the CLI to go on with: feature `otel`.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use opentelemetry::Context;
use opentelemetry::trace::{SpanContext, TraceContextExt as _, TraceFlags};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// The variables in which a trace is handed on, as W3C Trace Context has them in headers.
const PARENT: &str = "TRACEPARENT";
const STATE: &str = "TRACESTATE";

/// Sets both where the host has an active span and the options say nothing of either. A host without
/// one hands on what it inherited.
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
        // One that was inherited belongs to another trace.
        let state = Some(span.trace_state().header()).filter(|state| !state.is_empty());
        env.insert(STATE.into(), state.map(Into::into));
    }
}

/// The active span: of `tracing`, where its OpenTelemetry layer knows it, else of OpenTelemetry itself.
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
