//! Checks that the macros make of each type when the tests are compiled. They cost nothing in the builds of users.

use std::marker::PhantomData;

use claw_wire::{Tags, const_eq};

/// Fails the build if two variants of a union have the same tags.
pub(crate) const fn assert_distinct(table: &[Tags]) {
    let mut i = 0;
    while i < table.len() {
        let mut j = i + 1;
        while j < table.len() {
            assert!(
                !same_tags(table[i], table[j]),
                "two variants of this union have the same tags"
            );
            j += 1;
        }
        i += 1;
    }
}

/// Fails the build if a union and the union inside of it have variants with the same tags.
pub(crate) const fn assert_apart(outer: &[Tags], inner: &[Tags]) {
    let mut i = 0;
    while i < outer.len() {
        let mut j = 0;
        while j < inner.len() {
            assert!(
                !same_tags(outer[i], inner[j]),
                "a union and the one inside of it have variants with the same tags"
            );
            j += 1;
        }
        i += 1;
    }
}

const fn same_tags(a: Tags, b: Tags) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if !const_eq(a[i].0, b[i].0) || !const_eq(a[i].1, b[i].1) {
            return false;
        }
        i += 1;
    }
    true
}

/// Distinguishes an `Option` from any other type at compile time: the inherent constant is found before that of the
/// trait.
pub(crate) struct Probe<T>(PhantomData<T>);

pub(crate) trait NotAnOption {
    const IS_OPTION: bool = false;
}

impl<T> NotAnOption for Probe<T> {}

impl<T> Probe<Option<T>> {
    #[allow(
        dead_code,
        reason = "named only where a field is an alias of Option, which is refused"
    )]
    pub(crate) const IS_OPTION: bool = true;
}
