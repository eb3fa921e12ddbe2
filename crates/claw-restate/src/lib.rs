#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod agent;
mod approval;
mod attempts;
mod error;
mod interrupt;
mod running;
mod serve;
mod service;
mod step;
mod turn;
mod types;
mod worker;

pub use types::{
    AnswerRequest, Answered, Interrupted, PromptRequest, SessionStatus, TurnOutcome, WaitingRequest,
};
pub use worker::{Limits, Worker, WorkerError};
