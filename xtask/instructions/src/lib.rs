//! What the programs whose instructions `cargo xtask instructions` counts have in common.
#![forbid(unsafe_code)]

/// Returns the three arguments of the program: the operation, its input, and the number of rounds.
///
/// # Panics
/// Panics if the program has another number of arguments.
#[must_use]
pub fn arguments() -> [String; 3] {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    match arguments.try_into() {
        Ok(arguments) => arguments,
        Err(others) => panic!("three arguments are needed, not {others:?}"),
    }
}
