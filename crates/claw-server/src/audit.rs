//! The audit log: a file with one line for each change that people and programs make.
//!
//! Each row in the table of routes names the [`Action`] that its requests carry out. For each request, the router creates an
//! [`Act`] and passes it to the handler in the extensions of the request. The handler calls [`Act::record`] after all checks,
//! directly before it carries out the action. If a request is refused before that, the log contains one line about the refusal.

mod act;
mod action;
mod entry;
mod log;

#[cfg(feature = "cluster")]
pub(crate) use act::CarriedOutElsewhere;
pub(crate) use act::{Act, Auditor, Recording, Sender, record};
pub use action::{Action, Recorded};
pub use entry::{AuditEntry, AuditRefusal, AuditSender};
pub use log::Audit;
