//! The testkit from outside.

mod api;
