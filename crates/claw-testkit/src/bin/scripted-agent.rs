//! A
fn main() {}
