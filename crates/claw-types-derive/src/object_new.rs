//! Generates the constructors of an object: `new` takes the required fields, and a setter each other field.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{GenericArgument, PathArguments, Type};

use crate::object::{Field, Mode, Object};

pub(crate) fn expand(object: &Object) -> TokenStream {
    let name = &object.name;
    let required: Vec<_> = object
        .fields
        .iter()
        .filter(|f| f.mode == Mode::Required && !is_constant(f))
        .collect();
    let arguments = required.iter().map(|f| {
        let (ident, inner) = (&f.ident, &f.inner);
        quote!(#ident: impl Into<#inner>)
    });
    let values: Vec<_> = object
        .fields
        .iter()
        .map(|f| {
            let ident = &f.ident;
            match f.mode {
                Mode::Required if is_constant(f) => quote!(#ident: Default::default()),
                Mode::Required => quote!(#ident: #ident.into()),
                Mode::Optional | Mode::Nullable => quote!(#ident: None),
                Mode::Tri => quote!(#ident: crate::Tri::Absent),
            }
        })
        .collect();
    let has_setters = object.fields.iter().any(|f| f.mode != Mode::Required);
    let doc = match (required.is_empty(), has_setters) {
        (true, true) => {
            "Creates a value in which no optional field is set. Each optional field has a method of the same name that sets it."
        }
        (true, false) => "Creates the value.",
        (false, true) => {
            "Creates a value from its required fields. Each optional field has a method of the same name that sets it."
        }
        (false, false) => "Creates a value from its fields.",
    };
    let new = (!object.no_new).then(|| {
        quote! {
            #[doc = #doc]
            #[allow(clippy::too_many_arguments, clippy::new_without_default, reason = "as many as are required")]
            pub fn new(#(#arguments),*) -> Self {
                Self { #(#values,)* extra: crate::Extra::default() }
            }
        }
    });
    let default = required.is_empty().then(|| {
        quote! {
            #[automatically_derived]
            impl Default for #name {
                #[inline]
                fn default() -> Self {
                    Self { #(#values,)* extra: crate::Extra::default() }
                }
            }
        }
    });
    let setters = object
        .fields
        .iter()
        .filter(|f| f.mode != Mode::Required)
        .map(|f| {
            let (ident, (ty, value)) = (&f.ident, argument(f));
            let doc = format!("Sets `{}`.", f.key);
            let value = if f.mode == Mode::Tri {
                quote!(crate::Tri::Value(#value))
            } else {
                quote!(Some(#value))
            };
            quote! {
                #[doc = #doc]
                #[must_use]
                pub fn #ident(mut self, #ident: #ty) -> Self {
                    self.#ident = #value;
                    self
                }
            }
        });
    let wire = on_the_wire(object);
    quote! {
        #default
        #[doc = #wire]
        #[automatically_derived]
        impl #name {
            #new
            #(#setters)*
        }
    }
}

/// Returns the type of a setter's argument, and the value of the field made of it. The argument is anything that
/// converts to the field. For a list of texts and for a map, it is any iterator whose items convert to the parts. Lists
/// of other types are taken as they are: an empty list `[]` would otherwise have no type.
fn argument(field: &Field) -> (TokenStream, TokenStream) {
    let (ident, inner) = (&field.ident, &field.inner);
    match generic(inner) {
        Some((list, item)) if list == "Vec" && is_text(item) => (
            quote!(impl IntoIterator<Item = impl Into<#item>>),
            quote!(#ident.into_iter().map(Into::into).collect()),
        ),
        Some((map, value)) if map == "Map" => match generic(value) {
            Some((option, _)) if option == "Option" => (
                quote!(impl IntoIterator<Item = (impl Into<String>, impl crate::IntoOptionalText)>),
                quote!(crate::Map::of_texts(#ident)),
            ),
            _ => (
                quote!(impl IntoIterator<Item = (impl Into<String>, impl Into<#value>)>),
                quote!(crate::Map::of_values(#ident)),
            ),
        },
        _ => (quote!(impl Into<#inner>), quote!(#ident.into())),
    }
}

/// Returns the name and the argument of a generic type: `Vec` and `String` for `Vec<String>`.
fn generic(ty: &Type) -> Option<(String, &Type)> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match arguments.args.first()? {
        GenericArgument::Type(argument) => Some((last.ident.to_string(), argument)),
        _ => None,
    }
}

/// Whether a type is a text, or a type that people write as a text.
fn is_text(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    let texts = ["String", "PathBuf", "Beta"];
    texts.iter().any(|text| path.path.is_ident(text))
}

/// Whether a field can have only one value.
fn is_constant(field: &Field) -> bool {
    let ty = &field.inner;
    quote!(#ty).to_string() == "True"
}

/// Returns the list of keys on the wire, for the documentation of the type.
fn on_the_wire(object: &Object) -> String {
    let list = |mode: Mode| {
        let keys = object.fields.iter().filter(|f| f.mode == mode);
        keys.map(|f| format!("`{}`", f.key))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let tags = object
        .tags
        .iter()
        .map(|(key, value)| format!("`\"{key}\": \"{value}\"`"));
    let mut lines = vec![
        ("Constant", tags.collect::<Vec<_>>().join(", ")),
        ("Always present", list(Mode::Required)),
        ("Always present, may be null", list(Mode::Nullable)),
        (
            "Optional (a null value is read as an absent key, and is written again as null)",
            list(Mode::Optional),
        ),
        (
            "Optional, and may be null (which is different from absent)",
            list(Mode::Tri),
        ),
    ];
    lines.retain(|(_, keys)| !keys.is_empty());
    let lines = lines
        .iter()
        .map(|(what, keys)| format!("- {what}: {keys}\n"));
    format!(
        "The keys of the JSON object:\n\n{}",
        lines.collect::<String>()
    )
}
