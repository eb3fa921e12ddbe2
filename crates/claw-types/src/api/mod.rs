//! Objects of Anthropic's Messages API that occur in messages of the protocol: answers, content
//! blocks, stream events and token usage.

mod content;
mod fallback_credit;
mod iteration;
mod message;
mod source;
mod stream;
mod usage;

pub(crate) use content::text_of;
pub use content::*;
pub use fallback_credit::*;
pub use iteration::*;
pub use message::*;
pub use source::*;
pub use stream::*;
pub use usage::*;
