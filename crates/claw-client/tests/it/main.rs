//! Sessions and queries, against the scripted agent and against the real CLI.

mod real_cli;
