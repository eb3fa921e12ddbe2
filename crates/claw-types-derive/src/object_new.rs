//! Building an object: `new` with what is required, a setter for what is not.

use proc_macro2::TokenStream;
use quote::quote;

use crate::object::{Field, Mode, Object};

pub(crate) fn expand(object: &Object) -> TokenStream {
    let name = &object.name;
    let extra = object.extra();
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
    let doc = format!(
        "A `{name}` with what every one has; the rest is set by the methods named as the fields."
    );
    let new = (!object.no_new).then(|| {
        quote! {
            #[doc = #doc]
            #[allow(clippy::too_many_arguments, clippy::new_without_default, reason = "as many as are required")]
            pub fn new(#(#arguments),*) -> Self {
                Self { #(#values,)* #extra: crate::Extra::default() }
            }
        }
    });
    let default = required.is_empty().then(|| {
        quote! {
            #[automatically_derived]
            impl Default for #name {
                fn default() -> Self {
                    Self { #(#values,)* #extra: crate::Extra::default() }
                }
            }
        }
    });
    let setters = object
        .fields
        .iter()
        .filter(|f| f.mode != Mode::Required)
        .map(|f| {
            let (ident, inner) = (&f.ident, &f.inner);
            let doc = format!("Sets `{}`.", f.key);
            let value = if f.mode == Mode::Tri {
                quote!(crate::Tri::Value(value.into()))
            } else {
                quote!(Some(value.into()))
            };
            quote! {
                #[doc = #doc]
                #[must_use]
                pub fn #ident(mut self, value: impl Into<#inner>) -> Self {
                    self.#ident = #value;
                    self
                }
            }
        });
    quote! {
        #default
        #[automatically_derived]
        impl #name {
            #new
            #(#setters)*
        }
    }
}

/// A field that can have but one value.
fn is_constant(field: &Field) -> bool {
    let ty = &field.inner;
    quote!(#ty).to_string() == "True"
}
