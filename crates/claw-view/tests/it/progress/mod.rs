//! Progress: on labelled texts, on the recordings, on the documents' examples.

mod labels;
