//! Rules that answer permission requests.

use std::fmt::Display;
use std::future::Future;
use std::sync::Arc;

use claw_types::control::{PermissionAllow, PermissionDeny, PermissionResult};
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};

use super::permission::ToolPermissionRequest;

/// A list of rules and closures that decide about tool uses. They are consulted in order, and the first decision
/// applies. If none of them decides, the tool use is denied. (`typed_input` in the example needs the feature `tools`.)
///
/// ```no_run
/// use claw_client::types::tool::ToolInput;
/// use claw_client::{FirstMatch, PermissionResult, QueryOptions, Session};
///
/// let rules = FirstMatch::new()
///     .allow(["Read", "Grep", "mcp__calculator__*"])
///     .deny(["WebFetch"], "there is no network here")
///     .decide(|request| async move {
///         let Ok(ToolInput::Bash(bash)) = request.typed_input() else {
///             return None;
///         };
///         // The whole command: `git status && rm -rf .` begins like a harmless one.
///         matches!(&*bash.command, "git status" | "git diff").then(PermissionResult::allow)
///     });
/// let session = Session::builder(QueryOptions::default()).permissions(rules);
/// ```
#[derive(Clone, Default)]
#[must_use]
pub struct FirstMatch {
    parts: Vec<Part>,
}

type Opinion = Option<Result<PermissionResult, String>>;
type Part = Arc<dyn Fn(ToolPermissionRequest) -> BoxFuture<'static, Opinion> + Send + Sync>;

impl FirstMatch {
    /// Creates an empty list of rules, which always denies.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a rule that allows these tools with any input. A `*` at the end of a name matches any characters.
    pub fn allow(self, tools: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.named(tools, PermissionResult::allow())
    }

    /// Adds a rule that denies these tools. The model reads the reason. A `*` at the end of a name matches any
    /// characters.
    pub fn deny(
        self,
        tools: impl IntoIterator<Item = impl Into<String>>,
        reason: impl Into<String>,
    ) -> Self {
        self.named(tools, PermissionResult::deny(reason))
    }

    fn named(
        mut self,
        tools: impl IntoIterator<Item = impl Into<String>>,
        answer: PermissionResult,
    ) -> Self {
        let tools: Vec<String> = tools.into_iter().map(Into::into).collect();
        self.parts.push(Arc::new(move |request| {
            let named = tools.iter().any(|name| is_named(name, request.tool_name()));
            let opinion = named.then(|| Ok(answer.clone()));
            futures::future::ready(opinion).boxed()
        }));
        self
    }

    /// Adds a closure that decides. `None` leaves the decision to the next rule or closure. An `Err` denies the tool
    /// use.
    pub fn decide<F, Fut>(mut self, decide: F) -> Self
    where
        F: Fn(ToolPermissionRequest) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoOpinion> + Send + 'static,
    {
        self.parts.push(Arc::new(move |request| {
            let opinion = decide(request);
            async move { opinion.await.into_opinion() }.boxed()
        }));
        self
    }

    /// Returns the decision of the rules and closures. Use this method in a permission callback that also does other
    /// things.
    ///
    /// # Errors
    ///
    /// Fails if a closure failed. The error is the closure's reason. The caller must then deny the tool use.
    pub fn decision(
        &self,
        request: ToolPermissionRequest,
    ) -> BoxFuture<'static, Result<PermissionResult, String>> {
        let parts = self.parts.clone();
        async move {
            let opinions = stream::iter(parts).then(|part| part(request.clone()));
            let first = opinions.filter_map(futures::future::ready);
            let nobody = || {
                let reason = format!("no rule allows {}", request.tool_name());
                Ok(PermissionResult::deny(reason))
            };
            Box::pin(first).next().await.unwrap_or_else(nobody)
        }
        .boxed()
    }
}

/// The return type of a closure of [`FirstMatch`]: an answer, an `Option` of an answer (`None` leaves the decision to
/// the next rule or closure), or a `Result` of either.
pub trait IntoOpinion {
    /// Converts the value into the answer, or into the reason why no answer was given. `None` leaves the decision to
    /// the next rule or closure.
    fn into_opinion(self) -> Option<Result<PermissionResult, String>>;
}

impl<T: IntoOpinion> IntoOpinion for Option<T> {
    fn into_opinion(self) -> Opinion {
        self.and_then(T::into_opinion)
    }
}

impl<T: IntoOpinion, E: Display> IntoOpinion for Result<T, E> {
    fn into_opinion(self) -> Opinion {
        match self {
            Ok(opinion) => opinion.into_opinion(),
            Err(error) => Some(Err(error.to_string())),
        }
    }
}

macro_rules! opinions {
    ($($opinion:ty),+) => {$(
        impl IntoOpinion for $opinion {
            fn into_opinion(self) -> Opinion {
                Some(Ok(self.into()))
            }
        }
    )+};
}

opinions!(PermissionResult, PermissionAllow, PermissionDeny);

/// Whether a tool has this name, which may end in `*`.
fn is_named(name: &str, tool: &str) -> bool {
    match name.strip_suffix('*') {
        Some(start) => tool.starts_with(start),
        None => tool == name,
    }
}

#[cfg(test)]
mod tests;
