//! Writing an object: tags, then the fields that are there, then what was kept.

use proc_macro2::TokenStream;
use quote::quote;

use crate::object::{Mode, Object};

pub(crate) fn expand(object: &Object) -> TokenStream {
    let name = &object.name;
    let tags = object.tags.iter().map(|(key, value)| {
        let (key, value) = (constant(key), constant(value));
        quote!(map.serialize_entry(#key, #value)?;)
    });
    let fields = object.fields.iter().map(|f| {
        let (ident, key) = (&f.ident, constant(&f.key));
        match f.mode {
            Mode::Required | Mode::Nullable => quote!(map.serialize_entry(#key, &self.#ident)?;),
            Mode::Optional => quote! {
                if let Some(value) = &self.#ident { map.serialize_entry(#key, value)?; }
            },
            Mode::Tri => quote! {
                if let Some(value) = self.#ident.as_nullable() {
                    map.serialize_entry(#key, &value)?;
                }
            },
        }
    });
    let absent = object.fields.iter().map(|f| {
        let ident = &f.ident;
        match f.mode {
            Mode::Required | Mode::Nullable => quote!(false),
            Mode::Optional => quote!(self.#ident.is_none()),
            Mode::Tri => quote!(self.#ident.is_absent()),
        }
    });
    quote! {
        #[automatically_derived]
        impl ::serde::Serialize for #name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use ::serde::ser::SerializeMap as _;
                let mut map = serializer.serialize_map(None)?;
                #(#tags)*
                #(#fields)*
                // Nearly always empty: out of the way of what is written every time.
                if !self.extra.is_empty() {
                    let shape = <Self as crate::wire::Object>::SHAPE;
                    crate::wire::append_kept(&mut map, shape, &self.extra, &[#(#absent),*])?;
                }
                map.end()
            }
        }
    }
}

/// A text that needs no escape.
fn constant(text: &str) -> TokenStream {
    quote!(&const { crate::wire::Name::new(#text) })
}
