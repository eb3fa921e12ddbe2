//! Calls: requests of the host to the CLI. (For requests of the CLI to the host, see the layer `requests`.)
//!
//! Each method of [`Session`] here creates a [`Call`]: a future of the response, with its own timeout. Its errors are those
//! of [`Session::call`], which takes every kind with all of its fields.

use claw_types::control::{
    Initialize, Interrupt, Request, SetMaxThinkingTokens, SetMcpPermissionModeOverride, SetModel,
    WritableSettings,
};
use claw_types::options::{McpServerConfig, PermissionMode};
use claw_types::{Json, Map, MessageUuid, Number, Tri};

use crate::handle::Session;

mod call;

pub use call::{Call, NamedCall};

impl Session {
    /// Interrupts the running turn. The future completes when the CLI has acknowledged the interrupt. The turn then
    /// ends with an error result. The response lists the prompts that are still queued; older CLIs do not send that
    /// list.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`call`](Self::call).
    ///
    /// # Cancel safety
    ///
    /// The interrupt is carried out even if the future is dropped after its first poll.
    pub fn interrupt(&self) -> Call<Interrupt> {
        self.call(Interrupt::new())
    }

    /// Calls the CLI: sends a control request and waits for the response. This works while messages stream, even if
    /// they are not read. Most kinds of control requests have a separate method, such as
    /// [`set_model`](Self::set_model). This method accepts every kind, with all of its fields. In the other direction,
    /// requests of the CLI to your program arrive through [`requests`](Self::requests) or a callback.
    ///
    /// # Errors
    ///
    /// If the session ends, fails with the cause of its end. For any other error, one of these is true:
    /// [`Error::is_refused`](crate::Error::is_refused) (the CLI refused the request),
    /// [`Error::is_timeout`](crate::Error::is_timeout), [`Error::is_backlogged`](crate::Error::is_backlogged),
    /// [`Error::is_not_reading`](crate::Error::is_not_reading) or
    /// [`Error::is_bad_answer`](crate::Error::is_bad_answer).
    ///
    /// # Cancel safety
    ///
    /// Cancel safety is the same as for [`Call`].
    pub fn call<R: Request>(&self, body: R) -> Call<R> {
        Call::new(self.shared.clone(), body)
    }

    /// Sends the handshake request `initialize` again, as it was sent when the session began. The CLI does not restart;
    /// it responds with its current state. The CLI sends its unanswered requests again; requests that this session is
    /// processing are not delivered twice.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`call`](Self::call).
    pub fn reinitialize(&self) -> Call<Initialize> {
        let initialize = (*self.shared.initialize).clone();
        #[cfg(feature = "mcp")]
        let initialize = self.shared.mcp.declared_in(initialize);
        self.call(initialize)
    }
}

/// Expands to the body of a call: a new request with these arguments, or the value of the block behind `=`.
macro_rules! body {
    ($request:ident($($argument:ident),*)) => { claw_types::control::$request::new($($argument),*) };
    ($request:ident($($argument:ident),*) $body:block) => { $body };
}

/// Expands to the methods that the requests declare in `control/request.rs` of claw-types.
macro_rules! methods {
    ($($request:ident {
        $($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*) $(= $body:block)?)?
    })+) => {
        impl Session {$($(
            $(#[$doc])*
            pub fn $name(&self, $($argument: $type),*) -> Call<claw_types::control::$request> {
                self.call(body!($request($($argument),*) $($body)?))
            }
        )?)+}
    };
}

claw_types::each_request!(methods);
