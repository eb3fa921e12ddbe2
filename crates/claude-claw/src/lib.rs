//! Rust SDK for Claude Code: all of [`claw_client`], under a name that says what it is for.
//!
//! ```no_run
//! use claude_claw::{QueryOptions, query};
//!
//! # async fn example() -> Result<(), claude_claw::Error> {
//! let answer = query("What is 2 + 2?", QueryOptions::default()).await?.answer().await?;
//! println!("{answer}");
//! # Ok(())
//! # }
//! ```
//!
//! The types are the same, and so are the features. Only `tools` is on by default. The documentation of [`claw_client`] holds here.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

/// Compiles the README's example with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CrateReadme;

#[doc(inline)]
pub use claw_client::*;
