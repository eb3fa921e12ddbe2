//! The derives of claw-types.
