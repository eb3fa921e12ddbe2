//! The built-in scenarios of the testkit.
//!
//! Each scenario is a file in the crate's folder `scenarios`, and is tested with the real CLI.

use super::Scenario;

macro_rules! scenarios {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        $(
            $(#[$doc])*
            pub fn $name() -> Scenario {
                read(concat!(stringify!($name), ".json"), include_str!(concat!("../../scenarios/", stringify!($name), ".json")))
            }
        )*

        /// Returns all built-in scenarios.
        pub fn all() -> Vec<Scenario> {
            vec![$($name()),*]
        }
    };
}

scenarios! {
    /// A scenario with a short text, streamed in words.
    text,
    /// A scenario with thinking that has a signature, and then a text.
    thinking,
    /// A scenario with thinking, a text, and a Bash call that asks for permission. A closing text follows, which
    /// depends on whether the call succeeded.
    bash,
    /// A scenario with a text and a Write call that asks for permission. A closing text follows, which depends on whether
    /// the call succeeded. It runs on every platform; Bash needs a shell, which Windows may lack.
    write,
    /// A scenario in which every request gets the error for a refused API key (401).
    unauthorized,
    /// A scenario with one error (529, overloaded), and then a text.
    overloaded_once,
    /// A scenario in which every request gets a rate limit error (429). The response says not to retry.
    rate_limited,
    /// A scenario with a text that waits at three gates: at `first` before its first word, at `half` in the middle, and
    /// at `end` before its end.
    slow,
    /// A scenario with a text in many writing systems, with emoji.
    non_ascii,
    /// A scenario with a text that is cut inside an emoji, so that its JSON has half a surrogate pair.
    cut_emoji,
    /// A scenario with redacted thinking, visible thinking, and a text.
    redacted_thinking,
    /// A scenario with three tool uses in one answer, of which the last fails. A closing text follows.
    parallel_tools,
    /// A scenario in which every text stops at the maximum length.
    max_tokens,
    /// A scenario with a text that the API stops as a refusal, whichever model is requested.
    refusal,
    /// A scenario in which the first answer breaks off with an error in the middle of its text, and the next answer is
    /// complete.
    broken_stream,
    /// A scenario with a web search that the API runs itself, its results, and a text with citations.
    server_tools,
    /// A scenario with a sub-agent in the foreground, which counts files with Bash.
    subagent,
    /// A scenario with a sub-agent in the background, which counts files with Bash, and an answer to the notification
    /// of its end.
    subagent_background,
    /// A scenario with a text for any prompt, and a summary when the CLI requests one for a compaction.
    compact,
}

/// Returns the built-in scenario with this name.
pub fn by_name(name: &str) -> Option<Scenario> {
    all().into_iter().find(|scenario| scenario.name == name)
}

/// # Panics
/// Never: the files are part of the program, and a test reads them all.
fn read(file: &str, text: &str) -> Scenario {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("scenarios/{file}: {error}"))
}
