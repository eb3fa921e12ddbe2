//! The integration tests, in one binary.

#[cfg(test)]
mod progress;
