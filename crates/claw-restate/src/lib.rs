#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod attempts;
mod interrupt;
mod running;
mod serve;
mod service;
mod turn;
mod types;
mod worker;

pub use types::{Interrupted, PromptRequest, SessionStatus, TurnOutcome};
pub use worker::{Limits, Worker, WorkerError};
