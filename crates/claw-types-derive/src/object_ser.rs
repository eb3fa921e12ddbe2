//! Writing an object: tags, then the fields that are there, then what was kept.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::object::{Mode, Object};

pub(crate) fn expand(object: &Object) -> TokenStream {
    let name = &object.name;
    let title = name.to_string();
    let extra = object.extra();
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
    // A null that stood on an optional field waits in `extra`; a value set since then wins. A known
    // key can be in `extra` only so, or put there by hand, and is never written twice.
    let first = object.tags.len();
    let absent = object.fields.iter().enumerate().filter_map(|(i, f)| {
        let (ident, index) = (
            &f.ident,
            Literal::u16_suffixed(u16::try_from(i + first).ok()?),
        );
        match f.mode {
            Mode::Required | Mode::Nullable => None,
            Mode::Optional => Some(quote!(Some(#index) => self.#ident.is_none().then_some(true))),
            Mode::Tri => Some(quote!(Some(#index) => self.#ident.is_absent().then_some(true))),
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
                if !self.#extra.is_empty() {
                    crate::wire::append_kept(&mut map, #title, &self.#extra, &|key| {
                        match <Self as crate::wire::Keys>::index(key) {
                            None => Some(false),
                            #(#absent,)*
                            Some(_) => None,
                        }
                    })?;
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
