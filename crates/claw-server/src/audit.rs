//! The audit log: what people and programs have changed, each as a line of a file.
//!
//! A row of the table of routes has the [`Action`] that its requests are. For each request of such a row, the router makes
//! an [`Act`] and passes it to the handler in the extensions of the request. The handler calls [`Act::record`] as soon as
//! nothing but the action itself is left to do. A request that is refused before that has one line, with the refusal.

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
