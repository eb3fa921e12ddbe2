//! The scenarios that come with the testkit.
//!
//! Each is a file in the crate's `scenarios` folder, proven on the real CLI. To add one, write the
//! file and its line below.

use super::Scenario;

macro_rules! scenarios {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        $(
            $(#[$doc])*
            pub fn $name() -> Scenario {
                read(concat!(stringify!($name), ".json"), include_str!(concat!("../../scenarios/", stringify!($name), ".json")))
            }
        )*

        /// All of them.
        pub fn all() -> Vec<Scenario> {
            vec![$($name()),*]
        }
    };
}

scenarios! {
    /// A short text, in words.
    text,
    /// Thinking with a signature, then a text.
    thinking,
    /// Thinking, a text, and a Bash call that asks for permission; then a closing text, which
    /// differs when the call was denied or failed.
    bash,
    /// The API refuses the key: status 401, always.
    unauthorized,
    /// Overloaded (529) once, then a text.
    overloaded_once,
    /// Rate limited (429), always, and the answer says not to retry.
    rate_limited,
    /// A text that holds at the gate `first` before its first word, at `half` in the middle and at
    /// `end` before its end.
    slow,
    /// Text of many scripts, with emoji.
    non_ascii,
    /// Text cut inside an emoji, so that its JSON holds half a surrogate pair.
    cut_emoji,
    /// Thinking that may not be shown, thinking that may, and a text.
    redacted_thinking,
    /// Three tool calls in one answer, of which the last one fails; then a closing text.
    parallel_tools,
    /// A text that stops at its longest length, every time.
    max_tokens,
    /// A text that the API stops as a refusal, whatever the model.
    refusal,
    /// A text that breaks off with an error, once; then a whole one.
    broken_stream,
    /// A web search that the API runs itself, its results, and a text with citations.
    server_tools,
    /// An agent that counts files with Bash, and is waited for.
    subagent,
    /// The same agent in the background, and an answer to the news of its end.
    subagent_background,
    /// A text to any prompt, and a summary when the CLI asks for one.
    compact,
}

/// The scenario with this name.
pub fn by_name(name: &str) -> Option<Scenario> {
    all().into_iter().find(|scenario| scenario.name == name)
}

/// # Panics
/// Never: the files are part of the program, and a test reads them all.
fn read(file: &str, text: &str) -> Scenario {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("scenarios/{file}: {error}"))
}
