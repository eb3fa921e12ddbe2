//! The macro `#[wire]` of `claw-types`. From the fields of a struct it generates the struct's reader, writer,
//! constructors and schema.
//!
//! - [`wire`](macro@wire) on a struct: a JSON object. Its tags are constants of the struct, and its unknown fields are
//!   kept.
//! - [`wire`](macro@wire) on an enum: a union of such structs. The enum only lists the structs, and takes the tags from
//!   them.
//! - [`wire(open)`](macro@wire) on an enum: a text. The enum lists the known texts, but a value can be any other text
//!   too.
//!
//! The generated code refers to items of `claw_types::wire`, so only that crate can use the macro.
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

/// Makes a struct a JSON object of the protocol, or an enum a union of such objects. The macro adds
/// `#[derive(Debug, Clone, PartialEq)]` and `#[non_exhaustive]`. Write other derives below `#[wire]`.
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
/// - `tag(type = "assistant")` sets one or more keys with constant values. Their order is the one in which they decide
///   of which kind an object is.
/// - `rename_all = "camelCase"` sets the case of the keys.
/// - `response = Type` makes the struct a control request with this type of response.
/// - `no_new` generates no function `new`, for a struct with a handwritten one.
///
/// The struct gets one more field, `extra`, which keeps the unknown keys of an object. To document that field, the
/// struct can declare it itself: `#[wire(extra)] pub extra: Extra`.
///
/// # On a field
///
/// - `rename = "…"` sets the key.
/// - `nullable` is for an `Option` whose key is always present: `None` is null.
/// - `since = "2.1.0"` names the first CLI version that sends the field.
/// - `secret` keeps the value out of the output of `Debug`.
/// - `expected` is for an `Option` that is present on every kind of object that claw knows. The schema for code
///   generation requires the field, but the reader does not.
/// - `never = "…"` is a text that the field never has as its value, because another struct has that text as its tag.
///
/// The macro decides by the written type of a field whether the field can be absent: an `Option<T>` can be absent, a
/// `Tri<T>` can be absent or null, and any other type is required. So a field whose type is an alias of `Option` would
/// be required. The tests of claw-types do not compile with such a field.
///
/// # Groups of fields
///
/// `#[wire(fields)]` turns a struct into a group of fields that several structs share. `fields: Group!()` inserts the
/// fields of the group into a struct. A group is a macro, not a type. A group with a visibility, such as `pub(crate)`,
/// is imported like other items.
///
/// # On an enum
///
/// Each variant holds one struct, or a `Box` of one. The enum gets one more variant, `Unknown`, which keeps objects of
/// all other kinds. To document that variant, the enum can declare it itself: `#[wire(unknown)] Unknown(Unknown)`.
///
/// On a variant:
///
/// - `#[wire(rest)]` replaces `Unknown`. The variant holds another union, which reads all kinds that this union does
///   not know.
/// - `#[wire(also)]` is for a variant that holds another union. All kinds of the other union are then kinds of this
///   union as well. The other union has the attribute `#[wire(within = This)]`, so that its structs convert to this
///   union in one step.
/// - `#[wire(narrows = User)]` is for a variant that has the same tags as the variant `User`. An object is first read
///   as `User`. If the `Narrow` implementation of the struct accepts it, it becomes this variant.
///
/// On the enum:
///
/// - `#[wire(lenient)]`: an object of a known kind whose body does not fit the struct becomes an `Unknown`. Without
///   this attribute, such an object is an error.
/// - `#[wire(envelope)]` generates methods for the fields that most messages have.
/// - `#[wire(tag = subtype)]` generates a method `subtype`, which returns the text of that tag.
/// - `#[wire(no_debug)]` generates no `Debug`, for an enum with a handwritten implementation.
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
/// The generated type is a struct that holds a text, because the value can be any text. The variants become constants
/// of that struct.
#[proc_macro_attribute]
pub fn wire(arguments: TokenStream, item: TokenStream) -> TokenStream {
    attribute::expand(arguments.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// The derive that `#[wire]` puts on an enum. Do not write it by hand.
#[doc(hidden)]
#[proc_macro_derive(WireUnion, attributes(union))]
pub fn derive_wire_union(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    union::derive(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
