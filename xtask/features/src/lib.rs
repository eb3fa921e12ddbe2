//! Its manifest describes its purpose.
#![forbid(unsafe_code)]
