//! The agent, with a client that writes its lines itself.

mod cancel;
mod editor;
mod faults;
mod permissions;
mod prompts;
mod real_cli;
mod sessions;
