//! The return types of callbacks, and type-erased callbacks.

use std::fmt::Display;
use std::future::Future;
use std::sync::Arc;

use claw_types::Json;
use claw_types::control::{
    ElicitationResponse, PermissionAllow, PermissionDeny, PermissionResult, UserDialogResponse,
};
use futures::future::BoxFuture;

use super::context::CallbackContext;

/// The return type of a callback: an answer, a value that converts into an answer, or a `Result` of
/// either, with any error that implements `Display`. So `?` works in callbacks that are `async fn`s
/// with a `Result`, and in closures that end with `Ok::<_, Error>(…)`.
pub trait IntoAnswer<A> {
    /// Converts the value into the answer, or into the reason why there is no answer.
    fn into_answer(self) -> Result<A, String>;
}

impl<A, T: IntoAnswer<A>, E: Display> IntoAnswer<A> for Result<T, E> {
    fn into_answer(self) -> Result<A, String> {
        self.map_err(|error| error.to_string())
            .and_then(T::into_answer)
    }
}

macro_rules! answers {
    ($($answer:ty: $($from:ty),+;)+) => {$($(
        impl IntoAnswer<$answer> for $from {
            fn into_answer(self) -> Result<$answer, String> {
                Ok(self.into())
            }
        }
    )+)+};
}

pub(super) use answers;

answers! {
    PermissionResult: PermissionResult, PermissionAllow, PermissionDeny;
    ElicitationResponse: ElicitationResponse;
    UserDialogResponse: UserDialogResponse;
    Json: Json, serde_json::Value;
}

/// A type-erased callback.
pub(crate) type Callback<Q, A> =
    Arc<dyn Fn(Q, CallbackContext) -> BoxFuture<'static, Result<A, String>> + Send + Sync>;

pub(crate) fn callback<Q, A, F, Fut>(call: F) -> Callback<Q, A>
where
    Q: Send + 'static,
    A: 'static,
    F: Fn(Q, CallbackContext) -> Fut + Send + Sync + 'static,
    Fut: Future + Send + 'static,
    Fut::Output: IntoAnswer<A>,
{
    let call = Arc::new(call);
    Arc::new(move |body, context| {
        let call = call.clone();
        // The call itself may panic too, so it is made inside the task.
        Box::pin(async move { call(body, context).await.into_answer() })
    })
}
