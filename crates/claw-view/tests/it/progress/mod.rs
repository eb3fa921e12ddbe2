//! Progress: in labelled texts, in the recordings, in messages, in the documents' example.

mod document;
mod hostile;
mod labels;
mod live;
mod messages;
mod recordings;
