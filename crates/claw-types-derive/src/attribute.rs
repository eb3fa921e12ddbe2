//! `#[wire]`: what is written becomes the struct or the enum as it is, with its code.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use syn::{
    Attribute, Data, DataEnum, DataStruct, DeriveInput, Error, Expr, Field, Fields, Result, Type,
};
use syn::{parse_quote, parse2};

use crate::object::{Object, is_ours};

pub(crate) fn expand(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let mut item: DeriveInput = parse2(item)?;
    match &item.data {
        Data::Enum(data) if arguments.to_string() == "open" => open_enum(&item, data),
        Data::Enum(_) => Ok(union(&arguments, item)),
        Data::Struct(_) if arguments.to_string() == "fields" => group(&item),
        Data::Struct(data) => match data.fields.iter().position(is_use_of_group) {
            Some(at) => use_group(&arguments, &item, data, at),
            None => Ok(object(arguments, &mut item)),
        },
        Data::Union(_) => Object::read(arguments, &item).map(|object| object.expand()),
    }
}

/// A struct with what all have: derives, `extra`, and the code that goes with it. Where something
/// is wrong with it the struct is there nevertheless, so that nothing else seems to be wrong.
fn object(arguments: TokenStream, item: &mut DeriveInput) -> TokenStream {
    let object = Object::read(arguments, item);
    let (own_extra, secrets) = object.as_ref().map_or((true, false), |object| {
        (object.own_extra, object.has_secrets())
    });
    if let Data::Struct(data) = &mut item.data {
        for field in &mut data.fields {
            field.attrs.retain(|a| !is_ours(a));
        }
        if let Fields::Named(fields) = &mut data.fields
            && !own_extra
        {
            fields.named.push(parse_quote! {
                /// Fields that claw does not know.
                pub extra: crate::Extra
            });
        }
    }
    // With secrets it comes from `Object::expand`.
    let debug = (!secrets).then(|| quote!(Debug,));
    let code = object.map_or_else(Error::into_compile_error, |object| object.expand());
    quote! {
        #[derive(#debug Clone, PartialEq)]
        #[non_exhaustive]
        #item
        #code
    }
}

/// A union with a variant for kinds that claw does not know, where it has none of its own. It goes
/// through a derive, which sees it without the variants that a `cfg` leaves out. The attributes of a
/// derive must not be named as a macro is, hence `union`.
fn union(arguments: &TokenStream, mut item: DeriveInput) -> TokenStream {
    if let Data::Enum(data) = &mut item.data {
        let mut has_rest = false;
        let attrs = data.variants.iter_mut().flat_map(|v| &mut v.attrs);
        for attr in attrs.filter(|a| a.path().is_ident("wire")) {
            if let syn::Meta::List(list) = &mut attr.meta {
                let what = list.tokens.to_string();
                has_rest |= what == "unknown" || what == "rest";
                list.path = parse_quote!(union);
            }
        }
        if !has_rest {
            data.variants.push(parse_quote! {
                /// A kind that claw does not know, as it came.
                #[union(unknown)]
                Unknown(crate::Unknown)
            });
        }
    }
    let mut words = arguments.clone().into_iter();
    let by_hand = words.any(|word| word.to_string() == "no_debug");
    let debug = (!by_hand).then(|| quote!(Debug,));
    quote! {
        #[derive(#debug Clone, PartialEq, ::claw_types_derive::WireUnion)]
        #[union(#arguments)]
        #[non_exhaustive]
        #item
    }
}

/// An enumeration that any text may be a value of: `open_enum!` of claw-types, which no longer is an
/// enum.
fn open_enum(item: &DeriveInput, data: &DataEnum) -> Result<TokenStream> {
    let values = data.variants.iter().enumerate().map(|(at, value)| {
        let Some((_, Expr::Lit(text))) = &value.discriminant else {
            let wrong = "a value says its text: `Name = \"text\"`";
            return Err(Error::new_spanned(value, wrong));
        };
        let (name, docs) = (&value.ident, &value.attrs);
        let at = Literal::usize_unsuffixed(at);
        Ok(quote!(#(#docs)* #name = #at #text,))
    });
    let values = values.collect::<Result<Vec<_>>>()?;
    let (name, docs) = (&item.ident, &item.attrs);
    Ok(quote! {
        crate::open_enum::open_enum! { #(#docs)* #name { #(#values)* } }
    })
}

/// A group of fields is a macro, called with a struct that has a place for them: what it says of
/// itself, and the fields before and behind that place.
fn group(item: &DeriveInput) -> Result<TokenStream> {
    let fields = match &item.data {
        Data::Struct(DataStruct {
            fields: Fields::Named(fields),
            ..
        }) => &fields.named,
        _ => return Err(Error::new_spanned(&item.ident, "wire needs named fields")),
    };
    let (name, vis) = (&item.ident, &item.vis);
    let docs = item.attrs.iter().filter(|a| a.path().is_ident("doc"));
    let outside = (!matches!(vis, syn::Visibility::Inherited)).then(|| quote!(#vis use #name;));
    let fields = fields.iter();
    Ok(quote! {
        #(#docs)*
        macro_rules! #name {
            ([$($arguments:tt)*] [$($item:tt)*] [$($before:tt)*] [$($behind:tt)*]) => {
                #[wire($($arguments)*)]
                $($item)* { $($before)* #(#fields,)* $($behind)* }
            };
        }
        #outside
    })
}

/// `fields: Group!()`, in the place of the group's fields.
fn is_use_of_group(field: &Field) -> bool {
    field.ident.as_ref().is_some_and(|name| name == "fields") && matches!(field.ty, Type::Macro(_))
}

fn use_group(
    arguments: &TokenStream,
    item: &DeriveInput,
    data: &DataStruct,
    at: usize,
) -> Result<TokenStream> {
    let fields: Vec<&Field> = data.fields.iter().collect();
    let (before, behind) = (&fields[..at], &fields[at + 1..]);
    let group = match fields[at] {
        Field {
            ty: Type::Macro(group),
            attrs,
            ..
        } if attrs.is_empty() && group.mac.tokens.is_empty() => &group.mac.path,
        field => {
            return Err(Error::new_spanned(
                field,
                "a group of fields stands as `fields: Group!()`, without more",
            ));
        }
    };
    let attrs: &[Attribute] = &item.attrs;
    let (name, vis) = (&item.ident, &item.vis);
    Ok(quote! {
        #group! { [#arguments] [#(#attrs)* #vis struct #name] [#(#before,)*] [#(#behind,)*] }
    })
}
