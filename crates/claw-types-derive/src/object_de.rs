//! Generates the reader of an object: one local variable per field, and one call that fills them
//! all.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::object::{Field, Mode, Object};

pub(crate) fn expand(object: &Object) -> TokenStream {
    let name = &object.name;
    let title = name.to_string();
    let tags = object
        .tags
        .iter()
        .map(|(key, value)| quote!((#key, #value)));
    // The literals are written out, because computing them at compile time takes longer than
    // parsing them.
    let member = |key: &str, need| {
        let text = format!("\"{key}\":");
        let (mut head, mut mask) = ([0; 8], [0; 8]);
        for (at, byte) in text.bytes().take(8).enumerate() {
            (head[at], mask[at]) = (byte, u8::MAX);
        }
        let (head, mask) = (u64::from_le_bytes(head), u64::from_le_bytes(mask));
        quote!(crate::wire::Member {
            text: #text, head: #head, mask: #mask, presence: crate::wire::Presence::#need
        })
    };
    let tag_members = object
        .tags
        .iter()
        .map(|(key, value)| member(key, quote!(Tag(#value))));
    let field_members = object.fields.iter().map(|f| member(&f.key, need(f)));

    let local = |f: &Field| format_ident!("field_{}", f.ident);
    let locals = object.fields.iter().map(|f| {
        let (local, inner) = (local(f), &f.inner);
        match f.mode {
            Mode::Required | Mode::Optional => quote!(let mut #local: Option<#inner> = None;),
            Mode::Nullable => quote!(let mut #local: Option<Option<#inner>> = None;),
            Mode::Tri => quote!(let mut #local: crate::Tri<#inner> = crate::Tri::Absent;),
        }
    });
    let slots = object.fields.iter().map(local);
    let required = object
        .fields
        .iter()
        .enumerate()
        .filter(|(_, f)| matches!(f.mode, Mode::Required | Mode::Nullable))
        .map(|(at, f)| {
            let local = local(f);
            quote! {
                let Some(#local) = #local else {
                    return Err(parser.no_field(<Self as crate::wire::Object>::SHAPE, #at));
                };
            }
        });
    let values = object.fields.iter().map(|f| {
        let (ident, local) = (&f.ident, local(f));
        quote!(#ident: #local)
    });
    let not_options = not_options(object);

    quote! {
        #not_options

        #[automatically_derived]
        impl crate::wire::Tagged for #name {
            const TAGS: crate::wire::Tags = &[#(#tags),*];
        }

        #[automatically_derived]
        impl crate::wire::Object for #name {
            const SHAPE: &'static crate::wire::Shape = &crate::wire::Shape {
                name: #title,
                members: &[#(#tag_members,)* #(#field_members),*],
            };

            // Inlined into its union, it would put the locals of all variants on one stack frame.
            #[inline(never)]
            fn read_object<P: crate::wire::Destination<Self>>(
                parser: &mut crate::wire::Parser<'_>,
                opened: bool,
            ) -> Result<P, crate::wire::Failed> {
                #(#locals)*
                let extra = match crate::wire::fill(
                    parser,
                    <Self as crate::wire::Object>::SHAPE,
                    opened,
                    &mut [#(&mut #slots),*],
                ) {
                    Ok(extra) => extra,
                    Err(error) => return Err(error),
                };
                #(#required)*
                let room = P::allocate();
                Ok(P::init(room, Self { #(#values,)* extra }))
            }
        }

        #[automatically_derived]
        impl crate::wire::Read for #name {
            // Compiled only where it is called: most structs are read into their union's box.
            #[inline]
            fn read(parser: &mut crate::wire::Parser<'_>) -> Result<Self, crate::wire::Failed> {
                <Self as crate::wire::Object>::read_object(parser, false)
            }
        }

    }
}

/// Generates the reader's rule for the presence of a field.
fn need(field: &Field) -> TokenStream {
    match (field.mode, &field.never) {
        (Mode::Required, Some(never)) => quote!(RequiredExcept(#never)),
        (Mode::Required | Mode::Nullable, _) => quote!(Required),
        (Mode::Optional, _) => quote!(Optional),
        (Mode::Tri, _) => quote!(Tri),
    }
}

/// Refuses aliases of `Option`, which the macro cannot see through.
fn not_options(object: &Object) -> Option<TokenStream> {
    let asserts: Vec<_> = object
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
            quote!(assert!(!crate::wire::Probe::<#inner>::IS_OPTION, #message);)
        })
        .collect();
    (!asserts.is_empty()).then(|| {
        quote! {
            #[cfg(test)]
            const _: () = {
                use crate::wire::NotAnOption as _;
                #(#asserts)*
            };
        }
    })
}
