//! Writes the lines of the log as JSON objects.

use std::fmt::Debug;
use std::io::{self, Write as _};

use claw_types::escape_json;
use serde::Serialize;
use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime as _, SystemTime};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

/// Writes each event as a JSON object on a line of standard error, with the fields of the spans around it.
pub(super) struct Json;

/// One line.
#[derive(Serialize)]
struct Line<'a> {
    timestamp: String,
    level: &'a str,
    target: &'a str,
    #[serde(flatten)]
    fields: Fields,
}

/// The fields of an event or of a span.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(transparent)]
struct Fields(Map<String, Value>);

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Json {
    fn on_new_span(&self, span: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        span.record(&mut fields);
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(fields);
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(fields) = span.extensions_mut().get_mut::<Fields>()
        {
            values.record(fields);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut fields = Fields::default();
        // A field of an inner span takes precedence over the same field of an outer span.
        for span in context.event_scope(event).into_iter().flatten() {
            if let Some(of_span) = span.extensions().get::<Fields>() {
                for (name, value) in &of_span.0 {
                    fields.0.entry(name).or_insert_with(|| value.clone());
                }
            }
        }
        event.record(&mut fields);
        let of = event.metadata();
        let line = line(of.level().as_str(), of.target(), fields);
        // There is no other place to which the failure could be reported.
        let _ = io::stderr().lock().write_all(line.as_bytes());
    }
}

/// Returns the JSON object of an event, with a line feed.
fn line(level: &str, target: &str, mut fields: Fields) -> String {
    // The line itself has members with these three names, so fields with the same names are left out.
    fields
        .0
        .retain(|name, _| !["timestamp", "level", "target"].contains(&&**name));
    let mut timestamp = String::new();
    // Writing to a String cannot fail.
    let _ = SystemTime.format_time(&mut Writer::new(&mut timestamp));
    let line = Line {
        timestamp,
        level,
        target,
        fields,
    };
    // All keys are texts, so writing the object cannot fail.
    let text = serde_json::to_string(&line).unwrap_or_default();
    format!("{}\n", escape_json(&text))
}

impl Fields {
    fn set(&mut self, field: &Field, value: impl Into<Value>) {
        self.0.insert(field.name().to_owned(), value.into());
    }
}

impl Visit for Fields {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.set(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.set(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.set(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.set(field, value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.set(field, value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.set(field, format!("{value:?}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_object_and_controls_no_terminal() {
        let mut fields = Fields::default();
        for (name, value) in [("message", "a\nb\u{1b}\u{9b}\u{202e}"), ("level", "none")] {
            fields.0.insert(name.to_owned(), value.into());
        }
        let line = line("WARN", "claw_server", fields);
        let text = line.strip_suffix('\n').unwrap();
        let is_plain = text.chars().all(|c| c.is_ascii() && !c.is_control());
        assert!(is_plain, "{text:?}");
        let read: Value = serde_json::from_str(text).unwrap();
        assert_eq!(read["message"], "a\nb\u{1b}\u{9b}\u{202e}");
        assert_eq!(read["level"], "WARN");
        assert!(read["timestamp"].as_str().unwrap().ends_with('Z'), "{read}");
    }
}
