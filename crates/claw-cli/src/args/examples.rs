//! The examples in the help of each command.
