//! MCP servers that live in this process, on the crate [`rmcp`].
//!
//! Feature `mcp`. Any [`rmcp::ServerHandler`] is handed to a session by name, whole: tools,
//! resources, prompts, notices and requests in both directions. The model sees its tools as
//! `mcp__name__tool`, and is asked for permission as for any other.
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
//! rmcp has to be the one that claw uses: its version is [`rmcp`]'s here.
//!
//! # What holds for all of them
//!
//! - **No round trip at the start.** A server is asked what it answers to the handshake while the
//!   CLI starts, and the CLI gets it with its first line. A server that takes more than 250 ms for
//!   that, and one that is added later, is asked by the CLI.
//! - **A slow server holds up nothing.** Each call is a task of its own. One that the CLI cancels
//!   (after an interrupt, say) has its token cancelled,
//!   [`RequestContext::ct`](rmcp::service::RequestContext); a second later it is dropped.
//!   [`McpServer::timeout`] says how long a call may take.
//! - **It fails closed.** A tool that panics gives a result that is an error, which the model reads;
//!   any other handler that does, a JSON-RPC error. So does a message for a server that is not
//!   there. The rest is up to the server: what it answers goes to the CLI as it is.
//! - **What a server sends** ([`rmcp::Peer`]) goes to the CLI, and counts as sent when the CLI has
//!   taken it. After `notify_tool_list_changed` the CLI lists the tools again, where the server said
//!   that its list changes. The CLI answers `ping`; sampling, roots and elicitation it refuses.
//! - **Its log is rmcp's**, which tells what is said at DEBUG and above, under its own name.
//! - **It ends with the session.** The tasks of its connections end, and with them what calls are at
//!   work, as if they were cancelled. The handler is dropped when the last
//!   [`McpServer`] of it is.
//!
//! # Servers that come and go
//!
//! [`Session::add_mcp_server`](crate::Session::add_mcp_server) and
//! [`Session::remove_mcp_server`](crate::Session::remove_mcp_server).

mod calls;
mod connection;
mod guard;
mod host;
mod live;
mod manifest;
mod pipe;
mod server;

pub(crate) use host::Host;
pub use server::McpServer;
