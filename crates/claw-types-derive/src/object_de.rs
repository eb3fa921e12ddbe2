//! Reading an object: a map visitor, one pass, one local a field.

use std::collections::BTreeMap;

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use crate::object::{Field, Mode, Object, generic};

pub(crate) fn expand(object: &Object) -> TokenStream {
    let name = &object.name;
    let title = name.to_string();
    let extra = object.extra();
    let tags = object
        .tags
        .iter()
        .map(|(key, value)| quote!((#key, #value)));
    let keys = keys(object);
    let tag_count = object.tags.len();

    let local = |f: &Field| format_ident!("field_{}", f.ident);
    let locals = object.fields.iter().map(|f| {
        let (local, inner) = (local(f), &f.inner);
        match f.mode {
            Mode::Required | Mode::Optional => {
                quote!(let mut #local: Option<#inner> = None;)
            }
            Mode::Nullable => quote!(let mut #local: Option<Option<#inner>> = None;),
            Mode::Tri => quote!(let mut #local: crate::Tri<#inner> = crate::Tri::Absent;),
        }
    });
    let tag_locals = (0..tag_count).map(|i| {
        let seen = format_ident!("tag_{}", i);
        quote!(let mut #seen = tags_read;)
    });
    let tag_arms = object.tags.iter().enumerate().map(|(i, (key, value))| {
        let (seen, index) = (format_ident!("tag_{}", i), index(i));
        quote! {
            crate::wire::Key::Known(#index) => {
                crate::wire::expect_tag(&mut map, #key, #value)?;
                #seen = true;
            }
        }
    });
    let field_arms = object.fields.iter().enumerate().map(|(i, f)| {
        let (local, key, index) = (local(f), &f.key, index(i + tag_count));
        let inner = &f.inner;
        let (read, unwrap) = reader(inner);
        let body = match f.mode {
            Mode::Required => {
                let refuse = f
                    .never
                    .as_ref()
                    .map(|never| quote!(crate::wire::refuse(#key, #local.as_ref(), #never)?;));
                quote! {
                    #local = Some(crate::wire::value::<#read, _>(&mut map, #key)? #unwrap);
                    #refuse
                }
            }
            Mode::Optional => {
                let unwrap = optional(&unwrap);
                quote! {
                    #local = crate::wire::value::<Option<#read>, _>(&mut map, #key)? #unwrap;
                    if #local.is_none() {
                        pairs.push(crate::wire::null_pair(#key));
                    }
                }
            }
            Mode::Nullable => {
                let unwrap = optional(&unwrap);
                quote! {
                    #local = Some(crate::wire::value::<Option<#read>, _>(&mut map, #key)? #unwrap);
                }
            }
            Mode::Tri => {
                let unwrap = optional(&unwrap);
                quote! {
                    #local = crate::Tri::from_nullable(
                        crate::wire::value::<Option<#read>, _>(&mut map, #key)? #unwrap
                    );
                }
            }
        };
        quote!(crate::wire::Key::Known(#index) => { #body })
    });
    let tag_checks = object.tags.iter().enumerate().map(|(i, (key, _))| {
        let seen = format_ident!("tag_{}", i);
        quote! {
            if !#seen {
                return Err(<A::Error as ::serde::de::Error>::missing_field(#key));
            }
        }
    });
    let required = object.fields.iter().filter_map(|f| {
        let (local, key) = (local(f), &f.key);
        matches!(f.mode, Mode::Required | Mode::Nullable).then(|| {
            quote! {
                let Some(#local) = #local else {
                    return Err(<A::Error as ::serde::de::Error>::missing_field(#key));
                };
            }
        })
    });
    let values = object.fields.iter().map(|f| {
        let (ident, local) = (&f.ident, local(f));
        quote!(#ident: #local)
    });
    let nulls: Vec<_> = object
        .fields
        .iter()
        .enumerate()
        .filter(|(_, f)| f.mode == Mode::Optional)
        .map(|(i, f)| {
            let (local, index) = (local(f), index(i + tag_count));
            quote!(Some(#index) => #local.is_none())
        })
        .collect();
    let forget = (!nulls.is_empty()).then(|| {
        quote! {
            if !pairs.is_empty() {
                crate::wire::forget(&mut pairs, &|key| match <Self as crate::wire::Keys>::index(key) {
                    #(#nulls,)*
                    _ => true,
                });
            }
        }
    });
    let not_options = object
        .fields
        .iter()
        .filter(|f| f.mode == Mode::Required)
        .map(|f| {
            let (inner, message) = (
                &f.inner,
                format!(
                    "`{}` is an alias of Option: write Option<…> out, or it is required",
                    f.ident
                ),
            );
            quote! {
                const _: () = {
                    use crate::wire::NotAnOption as _;
                    assert!(!crate::wire::Probe::<#inner>::IS_OPTION, #message);
                };
            }
        });

    quote! {
        #(#not_options)*

        #[automatically_derived]
        impl crate::wire::Tagged for #name {
            const TAGS: &'static [(&'static str, &'static str)] = &[#(#tags),*];
        }

        #[automatically_derived]
        impl crate::wire::Keys for #name {
            #[inline]
            fn index(key: &str) -> Option<u16> { #keys }
        }

        #[automatically_derived]
        impl<'de> crate::wire::Object<'de> for #name {
            const EXPECTING: &'static str = #title;
            // Inlined into its union, it would put the locals of all variants on one stack frame.
            #[inline(never)]
            fn from_map<A: ::serde::de::MapAccess<'de>, P: crate::wire::Place<Self>>(
                mut map: A,
                tags_read: bool,
            ) -> Result<P, A::Error> {
                #(#tag_locals)*
                #(#locals)*
                let mut pairs = Vec::new();
                while let Some(key) = crate::wire::next_key::<Self, A>(&mut map)? {
                    match key {
                        #(#tag_arms)*
                        #(#field_arms)*
                        crate::wire::Key::Known(_) => {}
                        crate::wire::Key::Other(key) => {
                            crate::wire::keep(&mut map, &mut pairs, key)?;
                        }
                    }
                }
                #(#tag_checks)*
                #forget
                #(#required)*
                let #extra = crate::Extra::from_pairs(pairs);
                let room = P::room();
                Ok(P::put(room, Self { #(#values,)* #extra }))
            }
        }

        #[automatically_derived]
        impl<'de> ::serde::Deserialize<'de> for #name {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                // Not `deserialize_struct`: that drops unknown fields under somebody's `flatten`.
                deserializer.deserialize_map(crate::wire::ObjectVisitor::<Self>::new())
            }
        }
    }
}

/// A `match` from key to index: tags first, then fields. By length first, which leaves a
/// comparison or two a key instead of one a field.
fn keys(object: &Object) -> TokenStream {
    let mut by_length: BTreeMap<usize, Vec<TokenStream>> = BTreeMap::new();
    let all = object
        .tags
        .iter()
        .map(|(key, _)| key)
        .chain(object.fields.iter().map(|f| &f.key));
    for (i, key) in all.enumerate() {
        let index = index(i);
        by_length
            .entry(key.len())
            .or_default()
            .push(quote!(#key => Some(#index)));
    }
    let arms = by_length
        .into_iter()
        .map(|(length, arms)| quote!(#length => match key { #(#arms,)* _ => None }));
    quote!(match key.len() { #(#arms,)* _ => None })
}

fn index(i: usize) -> Literal {
    Literal::u16_suffixed(u16::try_from(i).unwrap_or(u16::MAX))
}

/// What a value is read as, and how it is unwrapped: lists are read through a wrapper that puts
/// the index of a bad item into the error's path.
fn reader(inner: &syn::Type) -> (TokenStream, TokenStream) {
    match generic(inner, "Vec") {
        Some(item) => (quote!(crate::wire::Indexed<#item>), quote!(.0)),
        None => (quote!(#inner), TokenStream::new()),
    }
}

fn optional(unwrap: &TokenStream) -> TokenStream {
    if unwrap.is_empty() {
        TokenStream::new()
    } else {
        quote!(.map(|list| list #unwrap))
    }
}
