//! MCP servers in this process, with the crate [`rmcp`].
//!
//! This module requires the feature `mcp`. Any [`rmcp::ServerHandler`] can be added to a session under a name, with
//! its tools, resources, prompts, and notifications and requests in both directions. The model sees its tools as
//! `mcp__name__tool`. They need permissions like any other tool.
//!
//! ```no_run
//! use claw_client::{QueryOptions, Session};
//! use rmcp::handler::server::wrapper::Parameters;
//! use rmcp::{tool, tool_router};
//!
//! struct Greeter;
//!
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! struct Who {
//!     /// Whom to greet.
//!     name: String,
//! }
//!
//! // With rmcp's feature `macros`.
//! #[tool_router(server_handler)]
//! impl Greeter {
//!     #[tool(description = "Greets somebody")]
//!     fn greet(&self, Parameters(Who { name }): Parameters<Who>) -> String {
//!         format!("Good day, {name}!")
//!     }
//! }
//!
//! # async fn example() -> Result<(), claw_client::Error> {
//! let options = QueryOptions::default().allowed_tools(["mcp__greeter__greet".to_owned()]);
//! let session = Session::builder(options).mcp_server("greeter", Greeter).connect().await?;
//! println!("{}", session.ask("Greet Ada.").await?);
//! session.close().await?;
//! # Ok(())
//! # }
//! ```
//!
//! Your program must use the same version of rmcp as claw. This version is re-exported here as [`rmcp`].
//!
//! # Guarantees
//!
//! - **No round trip at the start.** claw asks a server for its handshake results while the CLI
//!   starts, and sends them to the CLI with its first line. If a server takes more than 250 ms, or
//!   is added later, the CLI itself starts the handshake.
//! - **A slow server delays nothing else.** Each call runs in its own task. If the CLI cancels a
//!   call (after an interrupt, for example), its token
//!   ([`RequestContext::ct`](rmcp::service::RequestContext)) is cancelled. One second later, the call is dropped.
//!   [`McpServer::timeout`] sets the timeout of a call.
//! - **It fails closed.** A tool that panics gives an error result, which the model reads. Any
//!   other handler that panics gives a JSON-RPC error, and so does a message for an unknown server.
//!   Other answers of the server are passed on unchanged.
//! - **Messages from a server** ([`rmcp::Peer`]) go to the CLI. A message counts as sent when the
//!   CLI has accepted it. After `notify_tool_list_changed` the CLI lists the tools again, if the
//!   server declared that its list can change. The CLI answers `ping`. It refuses sampling, roots
//!   and elicitation.
//! - **Logging is rmcp's own**: rmcp logs messages at DEBUG and above, under its own name.
//! - **A server lives as long as the session.** The tasks of its connections end with the session, and running calls
//!   end as if they were cancelled. The handler is dropped with the last [`McpServer`] that contains it.
//!
//! # Adding and removing servers
//!
//! [`Session::add_mcp_server`](crate::Session::add_mcp_server) and
//! [`Session::remove_mcp_server`](crate::Session::remove_mcp_server) add and remove servers of a
//! running session.

mod calls;
mod connection;
mod guard;
mod host;
mod pipe;
mod server;

pub(crate) use host::Host;
pub(crate) use pipe::ToCli;
pub use server::McpServer;
