//! Tests of progress: with labelled texts, with recordings, with single messages, and with the document's example.

mod document;
mod hostile;
mod labels;
mod live;
mod messages;
mod recordings;
