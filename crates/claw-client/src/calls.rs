//! Calls: requests of the host to the CLI. (For requests of the CLI to the host, see
//! `requests.rs`.)
//!
//! Each method of [`Session`] here creates a [`Call`]: a future of the response, with its own timeout. Its errors are those
//! of [`Session::call`], which takes every kind with all of its fields.

use claw_types::control::{
    SetMaxThinkingTokens, SetMcpPermissionModeOverride, SetModel, WritableSettings,
};
use claw_types::options::{McpServerConfig, PermissionMode};
use claw_types::{Json, Map, MessageUuid, Number, Tri};

use crate::Session;

mod call;
mod named;
mod table;
#[cfg(test)]
mod tests;
mod waiting;

pub use call::Call;
pub use named::NamedCall;
#[cfg(any(feature = "blocking", test))]
pub(crate) use table::each_call;
pub(crate) use waiting::{Answer, Waiting};

/// The body of a call: a request with its required fields, or the value of a block.
macro_rules! body {
    ($request:ident($($argument:ident),*)) => { claw_types::control::$request::new($($argument),*) };
    ($request:ident($($argument:ident),*) $body:block) => { $body };
}

macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*): $request:ident $(= $body:block)?;)+) => {
        impl Session {$(
            $(#[$doc])*
            pub fn $name(&self, $($argument: $type),*) -> Call<claw_types::control::$request> {
                self.call(body!($request($($argument),*) $($body)?))
            }
        )+}
    };
}

table::each_call!(methods);
