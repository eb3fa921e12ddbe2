//! One check of the doctor.

use serde::Serialize;

/// The severity of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum State {
    Good,
    /// Sessions work, but there is a problem.
    Warning,
    /// No session works, or a part of the sessions does not work.
    Bad,
}

/// A check.
#[derive(Debug, Serialize)]
pub(super) struct Check {
    pub(super) name: &'static str,
    pub(super) state: State,
    /// The result in words.
    pub(super) text: String,
    /// Advice on how to repair the problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mend: Option<String>,
}

impl Check {
    pub(super) fn good(name: &'static str, text: impl Into<String>) -> Self {
        Self {
            name,
            state: State::Good,
            text: text.into(),
            mend: None,
        }
    }

    pub(super) fn warning(
        name: &'static str,
        text: impl Into<String>,
        mend: impl Into<String>,
    ) -> Self {
        Self {
            name,
            state: State::Warning,
            text: text.into(),
            mend: Some(mend.into()),
        }
    }

    pub(super) fn bad(
        name: &'static str,
        text: impl Into<String>,
        mend: impl Into<String>,
    ) -> Self {
        Self {
            state: State::Bad,
            ..Self::warning(name, text, mend)
        }
    }
}
