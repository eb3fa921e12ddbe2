//! Every adapter does what a store has to do.

mod memory;
