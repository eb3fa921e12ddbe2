//! The derives of `claw-types`: one reading of a struct's fields makes its reader, its writer, its
//! constructors and its schema.
//!
//! - [`Wire`](macro@Wire), on a struct: a JSON object whose tags are constants of the struct and
//!   whose unknown fields are kept.
//! - [`WireUnion`](macro@WireUnion), on an enum: a union of such structs. The enum lists them and
//!   nothing else; tags are read from the structs.
//!
//! The generated code names items of `claw_types::wire` and is meant for that crate alone.
#![forbid(unsafe_code)]

mod object;
mod object_de;
mod object_new;
mod object_schema;
mod object_ser;
#[cfg(test)]
mod tests;
mod union;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Makes a struct a JSON object of the protocol.
///
/// On the struct: `#[wire(tag(type = "assistant"))]` (one or more constant keys, in the order in
/// which they decide), `#[wire(rename_all = "camelCase")]`, `#[wire(no_new)]` where a hand-written
/// `new` is better.
///
/// On a field: `rename = "…"`, `nullable` (an `Option` whose key is always there), `since = "2.1.0"`
/// (the CLI that first sent it), `secret` (its value is not shown by `Debug`; the struct then gets
/// its `Debug` from here), `expected` (an `Option` that only kinds of tomorrow lack: required in the
/// schema for code generation), `never = "…"` (a text that another struct has as its tag), and `extra` on the one field of type `Extra`. What a field may be is read from its syntax: `Option<T>` may be
/// absent, `Tri<T>` absent, null or there, anything else is required. An alias of `Option` is
/// refused, since it would silently be required.
#[proc_macro_derive(Wire, attributes(wire))]
pub fn derive_wire(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    object::derive(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Makes an enum a union of objects, told apart by the tags of the structs in its variants.
///
/// Each variant holds one struct (or a `Box` of one). `#[wire(unknown)]` marks the variant that
/// keeps what no other reads; `#[wire(rest)]`, in its place, a variant that holds another union,
/// which gets whatever this one does not know. `#[wire(narrows = User)]` marks a variant that has
/// the tags of another one, `User`: what was read as that becomes this where the struct's `Narrow`
/// says so. `#[wire(envelope)]`, on the enum, makes the accessors that messages share,
/// `#[wire(tag = subtype)]` one of that name for the tag's text.
#[proc_macro_derive(WireUnion, attributes(wire))]
pub fn derive_wire_union(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    union::derive(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
