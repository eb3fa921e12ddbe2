//! The log of `claw serve`. It has levels, and writes lines to standard error.

mod json;

use std::error::Error;
use std::io::{self, Write};

use claw_types::escape;
use tracing::level_filters::LevelFilter;
use tracing::{Level, Metadata};
use tracing_subscriber::Registry;
use tracing_subscriber::filter::{FilterExt as _, Targets, filter_fn};
use tracing_subscriber::layer::{Filter, Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

use self::json::Json;
use super::hosting::variable;
use crate::args::values::LogFormat;

/// The environment variable with the levels.
const LEVELS: &str = "RUST_LOG";

/// Starts the log. The levels come from the environment. If `requests` is set, the log also has one line for each
/// request.
///
/// # Errors
///
/// Fails if a level in the environment is invalid.
pub(super) fn start(
    format: LogFormat,
    requests: bool,
    is_phone: bool,
) -> Result<(), Box<dyn Error>> {
    let text = variable(LEVELS)?.unwrap_or_default();
    let named = levels(&text).map_err(|error| format!("{LEVELS}: {error}"))?;
    let filter = filter(named, requests, is_phone);
    // This fails if the process already has a subscriber. That subscriber remains.
    let _ = match format {
        LogFormat::Text => {
            let lines = tracing_subscriber::fmt::layer()
                .with_ansi(false)
                .with_writer(|| Stderr);
            let lines = lines.with_filter(filter);
            tracing_subscriber::registry().with(lines).try_init()
        }
        LogFormat::Json => {
            let lines = Json.with_filter(filter);
            tracing_subscriber::registry().with(lines).try_init()
        }
    };
    Ok(())
}

/// Reads levels such as `info,claw_server=debug`. A level without a target applies to all targets without a level of
/// their own. If there is none, the level `warn` applies to them.
fn levels(text: &str) -> Result<Targets, String> {
    let mut levels = Targets::new().with_default(LevelFilter::WARN);
    let directives = text.split(',').map(str::trim);
    for directive in directives.filter(|directive| !directive.is_empty()) {
        let (target, level) = match directive.split_once('=') {
            Some((target, level)) => (Some(target), level),
            None => (None, directive),
        };
        let is_target = |target: &str| {
            let is_in_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_:-.".contains(&byte);
            !target.is_empty() && target.bytes().all(is_in_name)
        };
        let is_valid = !level.is_empty() && target.is_none_or(is_target);
        let level = level.parse::<LevelFilter>().ok().filter(|_| is_valid);
        let level = level.ok_or_else(|| {
            format!(
                "{directive:?} is not LEVEL or TARGET=LEVEL, such as claw_server=debug; the levels are off, error, warn, \
                 info, debug and trace"
            )
        })?;
        levels = match target {
            Some(target) => levels.with_target(target, level),
            None => levels.with_default(level),
        };
    }
    Ok(levels)
}

/// Creates the filter of the log. It allows the named levels, and always the spans with the ID of a session.
fn filter(
    named: Targets,
    requests: bool,
    is_phone: bool,
) -> impl Filter<Registry> + Send + Sync + 'static {
    let always = filter_fn(move |of| {
        let is_request = requests && of.target().starts_with("claw_server");
        (of.is_span() && *of.level() == Level::ERROR) || (is_request && *of.level() <= Level::INFO)
    });
    let always = always.with_max_level_hint(if requests {
        LevelFilter::INFO
    } else {
        LevelFilter::ERROR
    });
    // `--phone` prints this notice itself, together with the addresses.
    let allowed = filter_fn(move |of| {
        is_free_of_secrets(of) && !(is_phone && of.target() == claw_server::NO_TLS)
    });
    named
        .or(always)
        .and(allowed.with_max_level_hint(LevelFilter::TRACE))
}

/// Returns whether events with this metadata contain no secret. Other crates may log headers, queries and bodies below
/// the level `info`. claw-client logs at the level `trace` why a session has ended, and the reason may quote a line of
/// the CLI.
fn is_free_of_secrets(of: &Metadata<'_>) -> bool {
    let target = of.target();
    let most = if target.starts_with("claw_client") {
        Level::DEBUG
    } else if target == "claw" || target.starts_with("claw::") || target.starts_with("claw_") {
        Level::TRACE
    } else {
        Level::INFO
    };
    *of.level() <= most
}

/// Standard error. Each write is one line of the log.
struct Stderr;

impl Write for Stderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let line = one_line(text.strip_suffix('\n').unwrap_or(&text));
        // There is no other place to which the failure could be reported.
        let _ = io::stderr().lock().write_all(line.as_bytes());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Escapes a text and puts it on one line. It may contain text from the CLI, the store or the network.
fn one_line(text: &str) -> String {
    let mut line = escape(text).replace('\n', "\\n");
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use tracing_subscriber::layer::{Context, Layer};

    use super::*;

    #[test]
    fn levels_are_those_that_are_named_and_else_warn() {
        let none = levels("").unwrap();
        assert!(none.would_enable("claw_server", &Level::WARN));
        assert!(!none.would_enable("claw_server", &Level::INFO));
        let some = levels("claw_server=debug, hyper=OFF,").unwrap();
        assert!(some.would_enable("claw_server::hub", &Level::DEBUG));
        assert!(some.would_enable("claw_client", &Level::WARN));
        assert!(!some.would_enable("claw_client", &Level::INFO));
        assert!(!some.would_enable("hyper", &Level::ERROR));
        let all = levels("trace").unwrap();
        assert!(all.would_enable("claw_client", &Level::TRACE));
        assert!(!levels("off").unwrap().would_enable("claw", &Level::ERROR));
    }

    #[test]
    fn a_level_that_is_none_is_named() {
        for bad in [
            "inof",
            "claw_server",
            "claw_server=loud",
            "claw_server=",
            "=info",
            "claw_server[session]=debug",
            "a=b=info",
        ] {
            let error = levels(&format!("info,{bad}")).unwrap_err();
            assert!(error.starts_with(&format!("{bad:?} is not")), "{error}");
        }
    }

    /// A layer that counts events.
    struct Counter(Arc<AtomicUsize>);

    impl<S: tracing::Subscriber> Layer<S> for Counter {
        fn on_event(&self, _: &tracing::Event<'_>, _: Context<'_, S>) {
            self.0.fetch_add(1, Relaxed);
        }
    }

    /// Returns how many of the events are logged with these levels.
    fn logged(named: &str, requests: bool, events: impl FnOnce()) -> usize {
        let count = Arc::default();
        let filter = filter(levels(named).unwrap(), requests, false);
        let layer = Counter(Arc::clone(&count)).with_filter(filter);
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), events);
        count.load(Relaxed)
    }

    #[test]
    fn events_that_may_have_secrets_are_logged_at_no_level() {
        let secrets = || {
            tracing::debug!(target: "hyper::proto", "a header");
            tracing::trace!(target: "redis", "a command");
            tracing::debug!(target: "clawless", "another crate");
            tracing::trace!(target: "claw_client::driver", "a line of the CLI");
        };
        assert_eq!(
            logged("trace,hyper=trace,claw_client=trace", true, secrets),
            0
        );
        let others = || {
            tracing::info!(target: "hyper::proto", "a connection");
            tracing::debug!(target: "claw_client::driver", "the end");
            tracing::trace!(target: "claw_server::hub", "a session");
        };
        assert_eq!(logged("trace", false, others), 3);
    }

    #[test]
    fn requests_are_logged_whatever_the_levels_are() {
        let request = || tracing::info!(target: "claw_server::metrics", "request");
        assert_eq!(logged("off", true, request), 1);
        assert_eq!(logged("off", false, request), 0);
        assert_eq!(logged("", false, request), 0);
    }

    #[test]
    fn a_line_is_one_line_and_controls_no_terminal() {
        assert_eq!(
            one_line("a\nb\u{1b}[2J\u{202e}"),
            "a\\nb\\u{1b}[2J\\u{202e}\n"
        );
    }
}
