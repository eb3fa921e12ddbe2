//! The macro `#[wire]` of `claw-types`. It generates a struct's reader, writer, constructors and schema from the fields
//! of the struct.
//!
//! - [`wire`](macro@wire) on a struct makes it a JSON object. The tags of the object are constants of the struct.
//!   Unknown fields of the object are kept.
//! - [`wire`](macro@wire) on an enum makes it a union of such structs. The enum only lists the structs; the tags come
//!   from the structs.
//! - [`wire(open)`](macro@wire) on an enum makes it a type for texts. The variants are the known texts, but a value can
//!   also be any other text.
//!
//! The generated code refers to items of `claw_types::wire`. So only `claw-types` can use the macro.
#![forbid(unsafe_code)]

mod attribute;
mod object;
mod object_code;
mod object_de;
mod object_each;
mod object_new;
mod object_schema;
mod object_ser;
#[cfg(test)]
mod tests;
mod union;
mod way;

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
/// - `tag(type = "assistant")` sets one or more keys that always have the given text. The first of them is the most
///   important for the choice between structs.
/// - `rename_all = "camelCase"` sets the case of the keys.
/// - `response = Type` makes the struct a control request whose response has the given type.
/// - `each = each_option` is for a struct of options. It generates a macro of this name: see below.
/// - `no_new` leaves out the generated function `new`. It is for a struct that has its own `new`.
///
/// The struct gets one more field, `extra`, which keeps unknown keys. A struct that documents this field declares it
/// itself: `#[wire(extra)] pub extra: Extra`.
///
/// # On a field
///
/// - `rename = "…"` sets the key.
/// - `nullable` is for an `Option` whose key is always present.
/// - `since = "2.1.0"` names the first CLI version that sends the field.
/// - `secret` hides the value from `Debug`.
/// - `expected` is for an `Option` that is present in all known kinds of the object. The schema for code generation
///   requires the field.
/// - `never = "…"` names a text that the field never has as its value, because that text is the tag of another
///   struct.
///
/// The macro decides by the syntax of a field's type whether the field can be absent. An `Option<T>` can be absent, a
/// `Tri<T>` can be absent or null, and a field of any other type is required. So do not use an alias of `Option`: its
/// field would be required, and the tests of claw-types would not compile.
///
/// # Options
///
/// Each field of a struct with `each = each_option` declares its way to the CLI by one of these items:
///
/// - `flag = "max-turns"`: an argument, `--max-turns=value`. The type of the field decides the form: see below.
/// - `arguments = thinking`: arguments that the method of this name in `crates/claw-transport/src/argv.rs` adds.
/// - `initialize`: the field of the same name of the request `initialize`.
/// - `launch`: the same field, or a file or a flag, as the option `delivery` says.
/// - `variable = "CLAUDE_CODE_…"`: an environment variable.
/// - `way = "…"`: something else. This text describes the way in `docs/options.md`. Next to one of the other items, the
///   text replaces the generated description.
///
/// `each_option!(make)` calls the macro `make` for each field, in the order of the fields, with the name of the field,
/// its key, its way and the text:
///
/// ```text
/// make! { max_turns "maxTurns" value("max-turns") "" }
/// make! { thinking "thinking" arguments(thinking) "`--thinking=…`" }
/// ```
///
/// A flag is a `switch` if the field is a `bool`, a `path` if it is a `PathBuf`, `paths` (one argument for each) if it is
/// a list of them, a `list` (with commas) if it is any other list, and a `value` otherwise. A field that declares
/// nothing but `way = "…"` has the way `other`.
///
/// # Groups of fields
///
/// `#[wire(fields)]` makes a struct a group of fields that several structs share. `fields: Group!()` inserts the fields
/// of the group into a struct. A group is a macro, not a type. If the group has a visibility, such as `pub(crate)`,
/// import it like other items.
///
/// # On an enum
///
/// Each variant holds one struct, or a `Box` with one struct. The enum gets one more variant, `Unknown`, which keeps
/// objects of all other kinds. An enum that documents this variant declares it itself:
/// `#[wire(unknown)] Unknown(Unknown)`.
///
/// On a variant:
///
/// - `#[wire(rest)]` replaces `Unknown`. The variant holds another union, which reads all kinds that this union does
///   not know.
/// - `#[wire(also)]` is for a variant that holds another union, whose kinds are also kinds of this union. That union
///   has the attribute `#[wire(within = This)]`, so that its structs convert to this union in one step.
/// - `#[wire(method(…))]` and `#[wire(no_method = "…")]` are for a control request: see below.
/// - `#[wire(narrows = User)]` is for a variant with the same tags as the variant `User`. An object that was read as
///   `User` becomes this variant if the `Narrow` implementation of its struct decides it.
///
/// On the enum:
///
/// - `#[wire(lenient)]`: an object of a known kind whose fields do not fit is read as `Unknown`. Without this
///   attribute, such an object is an error.
/// - `#[wire(envelope)]` generates the accessors that messages share.
/// - `#[wire(requests = each_request)]`: the structs are control requests. The schema also defines their responses, and
///   a macro of this name is generated: see below.
/// - `#[wire(tag = subtype)]` generates a method `subtype`, which returns the text of that tag.
/// - `#[wire(no_debug)]`: `Debug` is implemented by hand.
///
/// # Control requests
///
/// Each variant of an enum with `requests = each_request` declares the method of `claw-client` that sends the request, or
/// the reason why there is none:
///
/// ```text
/// /// To `claude`: set the model.
/// #[wire(method(
///     /// Sets the model for all later answers.
///     set_model(model: impl Into<String>) = { SetModel::new().model(model) }
/// ))]
/// SetModel(Box<SetModel>),
/// /// To `claude`: end the session.
/// #[wire(no_method = "Session::close sends it")]
/// EndSession(EndSession),
/// ```
///
/// The method sends the value of the block behind `=`. Without a block, it passes its arguments to `new` of the struct.
/// The types of the arguments are those that `calls.rs` and `blocking/calls.rs` of `claw-client` import.
///
/// `each_request!(make)` calls the macro `make` once, with the name of each variant and its declaration, which is empty
/// after `no_method`:
///
/// ```text
/// make! {
///     SetModel { #[doc = " Sets the model for all later answers."] set_model(model: …) = { … } }
///     EndSession {}
/// }
/// ```
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
/// The generated type is a struct, because it can hold any text. The variants become constants.
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
