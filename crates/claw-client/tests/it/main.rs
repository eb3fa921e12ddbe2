//! Sessions and queries, against the scripted agent and against the real CLI.

mod agent;
mod ends;
mod lines;
mod permissions;
mod real_cli;
mod requests;
mod slow;
mod turns;
