#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod ends;
mod error;
mod file;
mod home;
mod info;
mod list;
mod prompt;
mod scan;
mod session;
mod slug;

pub use error::Error;
pub use home::Sessions;
pub use list::{List, Listing};
pub use session::Session;
pub use slug::slug;
