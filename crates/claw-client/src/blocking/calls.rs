//! The blocking forms of the session's calls.

#[cfg(feature = "mcp")]
use claw_types::control::McpSetServers;
use claw_types::control::{Initialize, Interrupt, Request, WritableSettings};
use claw_types::options::{McpServerConfig, PermissionMode};
use claw_types::{Json, Map, MessageUuid, Number};

use super::Blocking;
use crate::outcome::error::Error;

macro_rules! methods {
    ($($request:ident {
        $($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*) $(= $body:block)?)?
    })+) => {
        /// Methods that call the CLI and wait for its response. They fail with the errors of
        /// [`call`](Self::call).
        impl Blocking<crate::Session> {$($(
            #[doc = concat!(
                "Calls [`Session::", stringify!($name), "`](crate::Session::", stringify!($name),
                ") and waits for the response."
            )]
            #[track_caller]
            pub fn $name(
                &self,
                $($argument: $type),*
            ) -> Result<<claw_types::control::$request as Request>::Response, Error> {
                self.runtime.wait(self.inner.$name($($argument),*))
            }
        )?)+}
    };
}

claw_types::each_request!(methods);

impl Blocking<crate::Session> {
    /// Calls [`Session::interrupt`](crate::Session::interrupt) and waits for the response.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`call`](Self::call).
    #[track_caller]
    pub fn interrupt(&self) -> Result<<Interrupt as Request>::Response, Error> {
        self.runtime.wait(self.inner.interrupt())
    }

    /// Calls [`Session::reinitialize`](crate::Session::reinitialize) and waits for the response.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`call`](Self::call).
    #[track_caller]
    pub fn reinitialize(&self) -> Result<<Initialize as Request>::Response, Error> {
        self.runtime.wait(self.inner.reinitialize())
    }
}

#[cfg(feature = "mcp")]
macro_rules! server_changes {
    ($($name:ident($($argument:ident: $type:ty),*);)+) => {
        /// Methods for MCP servers that run in this process.
        impl Blocking<crate::Session> {$(
            #[doc = concat!(
                "The blocking form of [`Session::", stringify!($name), "`](crate::Session::", stringify!($name), ")."
            )]
            #[track_caller]
            pub fn $name(
                &self,
                $($argument: $type),*
            ) -> Result<<McpSetServers as Request>::Response, Error> {
                self.runtime.wait(self.inner.$name($($argument),*))
            }
        )+}
    };
}

#[cfg(feature = "mcp")]
server_changes! {
    add_mcp_server(name: impl Into<String>, server: impl Into<crate::McpServer>);
    remove_mcp_server(name: impl Into<String>);
}
