//! What a person looks at: the messages of a session as elements, progress and flow.
//!
//! For wrappers and user interfaces, which do not draw protocol messages but "Bash(go test ./...)",
//! an edit as a diff, "Running tests 5/20". Pure functions and small state machines over
//! [`claw_types`]: no I/O, no runtime, no clock.
#![forbid(unsafe_code)]

pub mod progress;
