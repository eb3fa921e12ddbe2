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

        /// All built-in scenarios.
        pub fn all() -> Vec<Scenario> {
            vec![$($name()),*]
        }
    };
}

scenarios! {
    /// A short text, streamed in words.
    text,
    /// Thinking with a signature, then a text.
    thinking,
    /// Thinking, a text, and a Bash call that asks for permission. Then a closing text, which depends on whether the
    /// call succeeded.
    bash,
    /// The error of a refused API key (401) for every request.
    unauthorized,
    /// An error once (529, overloaded), then a text.
    overloaded_once,
    /// A rate limit error (429) for every request. The response says not to retry.
    rate_limited,
    /// A text that waits at the gate `first` before its first word, at `half` in the middle and at `end` before its
    /// end.
    slow,
    /// Text of many scripts, with emoji.
    non_ascii,
    /// A text cut inside an emoji, so that its JSON has half a surrogate pair.
    cut_emoji,
    /// Redacted thinking, visible thinking, and a text.
    redacted_thinking,
    /// Three tool uses in one answer, of which the last fails. Then a closing text.
    parallel_tools,
    /// A text that stops at the maximum length, every time.
    max_tokens,
    /// A text that the API stops as a refusal, whatever the model.
    refusal,
    /// A text that breaks off with an error once, and then a complete text.
    broken_stream,
    /// A web search that the API runs itself, its results, and a text with citations.
    server_tools,
    /// A sub-agent in the foreground that counts files with Bash.
    subagent,
    /// A sub-agent in the background that counts files with Bash, and an answer to the notification of its end.
    subagent_background,
    /// A text for any prompt, and a summary when the CLI asks for one.
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
