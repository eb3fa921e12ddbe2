//! Generates the macro that passes on the options, each with its way to the CLI.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{LitStr, Type};

use crate::object::{Object, generic};

pub(crate) fn expand(object: &Object) -> TokenStream {
    let Some(name) = &object.each else {
        return TokenStream::new();
    };
    let rows = object.fields.iter().map(|field| {
        let (ident, key, text) = (&field.ident, &field.key, &field.way.text);
        let text = text.as_ref().map_or_else(String::new, LitStr::value);
        let (way, argument) = match &field.way.kind {
            Some((kind, argument)) if kind == "flag" => (form(&field.inner), argument.clone()),
            Some((kind, argument)) => (kind.clone(), argument.clone()),
            None => (format_ident!("other"), TokenStream::new()),
        };
        quote!($make! { #ident #key #way(#argument) #text })
    });
    quote! {
        #[doc(hidden)]
        #[macro_export]
        macro_rules! #name {
            ($make:ident) => { #(#rows)* };
        }
    }
}

/// Returns the form of a flag, which the type of its field decides.
fn form(ty: &Type) -> Ident {
    let is = |ty: &Type, name: &str| matches!(ty, Type::Path(path) if path.path.is_ident(name));
    let form = match generic(ty, "Vec") {
        Some(item) if is(&item, "PathBuf") => "paths",
        Some(_) => "list",
        None if is(ty, "PathBuf") => "path",
        None if is(ty, "bool") => "switch",
        None => "value",
    };
    format_ident!("{form}")
}
