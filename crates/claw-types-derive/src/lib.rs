//! `#[wire]` of `claw-types`: one reading of a struct's fields makes its reader, its writer, its
//! constructors and its schema.
//!
//! - [`wire`](macro@wire) on a struct: a JSON object whose tags are constants of the struct and
//!   whose unknown fields are kept.
//! - [`wire`](macro@wire) on an enum: a union of such structs. The enum lists them and nothing
//!   else; tags are read from the structs.
//! - [`wire(open)`](macro@wire) on an enum: values that are text, and any other text as well.
//!
//! The generated code names items of `claw_types::wire` and is meant for that crate alone.
#![forbid(unsafe_code)]

mod attribute;
mod object;
mod object_code;
mod object_de;
mod object_new;
mod object_schema;
mod object_ser;
#[cfg(test)]
mod tests;
mod union;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Makes a struct a JSON object of the protocol, or an enum a union of such objects. It adds
/// `#[derive(Debug, Clone, PartialEq)]` and `#[non_exhaustive]`. Other derives stand below it.
///
/// # On a struct
///
/// ```text
/// /// What is said.
/// #[wire(tag(type = "said"), rename_all = "camelCase")]
/// pub struct Said {
///     /// The words.
///     pub words: String,
///     fields: Envelope!(),
///     /// Who said it.
///     pub speaker: Option<String>,
/// }
/// ```
///
/// `tag(type = "assistant")` gives one or more constant keys, in the order in which they decide;
/// `rename_all = "camelCase"` names the keys; `response = Type` makes it a request to the CLI, or
/// from it, that is answered so; `no_new` is for a struct with a better `new`, written by hand.
///
/// The struct gets one more field, `extra`, which keeps unknown keys. A struct that has more to say
/// about it writes it itself: `#[wire(extra)] pub extra: Extra`.
///
/// # On a field
///
/// `rename = "…"`, `nullable` (an `Option` whose key is always there), `since = "2.1.0"` (the CLI
/// that first sent it), `secret` (`Debug` does not show its value), `expected` (an `Option` that only
/// kinds of tomorrow lack: required in the schema for code generation), and `never = "…"` (a text
/// that another struct has as its tag). What a field may be is read from its syntax: `Option<T>` may
/// be absent, `Tri<T>` absent, null or there, anything else is required. An alias of `Option`
/// would silently be required: the tests of claw-types do not compile with one.
///
/// # Groups of fields
///
/// `#[wire(fields)]` makes a struct a group of fields, that other structs have too: with
/// `fields: Group!()` they stand there as if they were written there. A group is a macro and no
/// type; one with a visibility, such as `pub(crate)`, is imported as other items are.
///
/// # On an enum
///
/// Each variant holds one struct (or a `Box` of one). The enum gets one more variant, `Unknown`, which keeps what no
/// other reads. An enum can declare that variant itself, to document it: `#[wire(unknown)] Unknown(Unknown)`.
/// `#[wire(rest)]`, in its place, marks a variant that holds another union, which gets whatever this one does not know.
/// `#[wire(also)]` marks a variant that holds another union, whose kinds are kinds of this one as well; the other says
/// `#[wire(within = This)]`, so that its structs become this one in one step. `#[wire(lenient)]`, on the enum, makes a
/// kind whose body does not fit an unknown one in place of an error. `#[wire(narrows = User)]` marks a variant that has
/// the tags of another one, `User`: what was read as that becomes this where the struct's `Narrow` says so.
/// `#[wire(envelope)]`, on the enum, makes the accessors that messages share, `#[wire(tag = subtype)]` one of that name
/// for the tag's text; with `#[wire(no_debug)]` its `Debug` is written by hand.
///
/// # On an enum of texts
///
/// ```text
/// /// How it went.
/// #[wire(open)]
/// pub enum Outcome {
///     /// Well.
///     Done = "done",
/// }
/// ```
///
/// The generated type is a struct, because any text is a value of it. The variants become constants.
#[proc_macro_attribute]
pub fn wire(arguments: TokenStream, item: TokenStream) -> TokenStream {
    attribute::expand(arguments.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// What `#[wire]` makes of an enum. Not to be written by hand.
#[doc(hidden)]
#[proc_macro_derive(WireUnion, attributes(union))]
pub fn derive_wire_union(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    union::derive(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
