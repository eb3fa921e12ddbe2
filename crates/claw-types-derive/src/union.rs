//! A union: the enum is the table, the structs own the tags.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, Ident, Result, Type};

use crate::object::{docs, each_wire, generic};

struct Variant {
    ident: Ident,
    /// The struct, out of its box.
    inner: Type,
    boxed: bool,
}

/// What becomes of an object that no variant's tags fit.
enum Fallback {
    Unknown(Ident),
    Rest(Ident, Box<Type>),
}

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(
            &input.ident,
            "WireUnion is for enums; use Wire",
        ));
    };
    let mut variants = Vec::new();
    let mut fallback = None;
    for variant in &data.variants {
        let Fields::Unnamed(fields) = &variant.fields else {
            return Err(Error::new_spanned(variant, "a variant holds one struct"));
        };
        let (Some(field), 1) = (fields.unnamed.first(), fields.unnamed.len()) else {
            return Err(Error::new_spanned(variant, "a variant holds one struct"));
        };
        let ident = variant.ident.clone();
        let mut special = None;
        each_wire(&variant.attrs, |meta| {
            special = Some(if meta.path.is_ident("unknown") {
                Fallback::Unknown(ident.clone())
            } else if meta.path.is_ident("rest") {
                Fallback::Rest(ident.clone(), Box::new(field.ty.clone()))
            } else {
                return Err(meta.error("expected unknown or rest"));
            });
            Ok(())
        })?;
        if special.is_some() {
            fallback = special;
            continue;
        }
        let unboxed = generic(&field.ty, "Box");
        variants.push(Variant {
            ident,
            boxed: unboxed.is_some(),
            inner: unboxed.unwrap_or_else(|| field.ty.clone()),
        });
    }
    let mut envelope = false;
    each_wire(&input.attrs, |meta| {
        envelope = meta.path.is_ident("envelope");
        if envelope {
            Ok(())
        } else {
            Err(meta.error("expected envelope"))
        }
    })?;
    let Some(fallback) = fallback else {
        return Err(Error::new_spanned(
            &input.ident,
            "mark the variant that keeps what is not known: #[wire(unknown)]",
        ));
    };
    let union = expand(&input.ident, &docs(&input.attrs), &variants, &fallback);
    let accessors = envelope.then(|| accessors(&input.ident, &variants));
    Ok(quote! { #union #accessors })
}

/// The fields that most messages share, without a `match` at the user's.
fn accessors(name: &Ident, variants: &[Variant]) -> TokenStream {
    let methods = [
        (
            "uuid",
            quote!(MessageUuid),
            "The message's own name. `None` where it has none, and on kinds that claw does not know.",
        ),
        (
            "session_id",
            quote!(SessionId),
            "The session. `None` where it has none, and on kinds that claw does not know.",
        ),
        (
            "parent_tool_use_id",
            quote!(ToolUseId),
            "The tool use whose sub-agent speaks; `None` for the main conversation.",
        ),
    ]
    .map(|(method, ty, doc)| {
        let method = Ident::new(method, proc_macro2::Span::call_site());
        let arms = variants.iter().map(|v| {
            let ident = &v.ident;
            quote!(Self::#ident(value) => crate::wire::Envelope::#method(&**value),)
        });
        quote! {
            #[doc = #doc]
            #[allow(unreachable_patterns, reason = "the last arm is for what is not known")]
            pub fn #method(&self) -> Option<&crate::#ty> {
                match self { #(#arms)* _ => None }
            }
        }
    });
    quote! {
        #[automatically_derived]
        impl #name { #(#methods)* }
    }
}

fn expand(name: &Ident, docs: &str, variants: &[Variant], fallback: &Fallback) -> TokenStream {
    let title = name.to_string();
    let inners: Vec<_> = variants.iter().map(|v| &v.inner).collect();
    let read = variants.iter().enumerate().map(|(i, v)| {
        let (ident, inner, i) = (&v.ident, &v.inner, Literal::usize_suffixed(i));
        let value = boxed(
            v,
            quote!(<#inner as crate::wire::Object<'de>>::from_map(map, tags_read)?),
        );
        quote!(#i => Ok(Self::#ident(#value)))
    });
    let write = variants.iter().map(|v| {
        let ident = &v.ident;
        quote!(Self::#ident(value) => ::serde::Serialize::serialize(value, serializer))
    });
    let froms = variants.iter().map(|v| {
        let (ident, inner) = (&v.ident, &v.inner);
        let value = boxed(v, quote!(value));
        quote! {
            #[automatically_derived]
            impl From<#inner> for #name {
                fn from(value: #inner) -> Self { Self::#ident(#value) }
            }
        }
    });
    let Otherwise {
        ident: other,
        find,
        read: read_other,
        unknown,
        is_unknown,
        items,
        sub_key,
        schema,
    } = otherwise(name, variants.len(), fallback);
    quote! {
        const _: () = crate::wire::assert_distinct(&[#(<#inners as crate::wire::Tagged>::TAGS),*]);

        #[automatically_derived]
        impl crate::wire::Union for #name {
            const TABLE: &'static [crate::wire::Tags] =
                &[#(<#inners as crate::wire::Tagged>::TAGS),*];
            #sub_key

            fn find(tag: &str, sub: crate::wire::Sub<'_>) -> crate::wire::Found {
                match crate::wire::find(Self::TABLE, crate::wire::sub_key(Self::TABLE), tag, sub) {
                    crate::wire::Found::Nothing => #find,
                    found => found,
                }
            }

            fn read<'de, A: ::serde::de::MapAccess<'de>>(
                variant: usize,
                map: A,
                tags_read: bool,
            ) -> Result<Self, A::Error> {
                match variant {
                    #(#read,)*
                    _ => #read_other,
                }
            }

            fn unknown(json: crate::Json) -> Self { #unknown }
        }

        #[automatically_derived]
        impl<'de> ::serde::Deserialize<'de> for #name {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_map(crate::wire::UnionVisitor::<Self>::new())
            }
        }

        #[automatically_derived]
        impl ::serde::Serialize for #name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    #(#write,)*
                    Self::#other(value) => ::serde::Serialize::serialize(value, serializer),
                }
            }
        }

        #[automatically_derived]
        impl #name {
            /// Whether this is a kind that claw does not know: kept as it came, sent on unchanged.
            pub fn is_unknown(&self) -> bool { #is_unknown }
        }

        #(#froms)*
        #items

        #[cfg(feature = "schema")]
        #[automatically_derived]
        impl ::schemars::JsonSchema for #name {
            fn schema_name() -> ::std::borrow::Cow<'static, str> { #title.into() }
            fn schema_id() -> ::std::borrow::Cow<'static, str> {
                concat!(module_path!(), "::", #title).into()
            }
            fn json_schema(generator: &mut ::schemars::SchemaGenerator) -> ::schemars::Schema {
                let mut union = crate::schema::UnionSchema::new(#docs);
                #(union.member::<#inners>(generator);)*
                #schema
                union.finish()
            }
        }
    }
}

/// What becomes of an object that no variant's tags fit, in each place where that matters.
struct Otherwise<'a> {
    ident: &'a Ident,
    find: TokenStream,
    read: TokenStream,
    unknown: TokenStream,
    is_unknown: TokenStream,
    items: TokenStream,
    sub_key: TokenStream,
    schema: TokenStream,
}

fn otherwise<'a>(name: &Ident, count: usize, fallback: &'a Fallback) -> Otherwise<'a> {
    match fallback {
        Fallback::Unknown(ident) => Otherwise {
            ident,
            find: quote!(crate::wire::Found::Nothing),
            read: quote!(Ok(Self::#ident(crate::Unknown::read(map)?))),
            unknown: quote!(Self::#ident(crate::Unknown::new(json))),
            is_unknown: quote!(matches!(self, Self::#ident(_))),
            items: TokenStream::new(),
            sub_key: TokenStream::new(),
            schema: TokenStream::new(),
        },
        Fallback::Rest(ident, ty) => {
            let union = quote!(<#ty as crate::wire::Union>);
            Otherwise {
                ident,
                find: quote!(#union::find(tag, sub).shift(#count)),
                read: quote!(#union::read(variant - #count, map, tags_read).map(Self::#ident)),
                unknown: quote!(Self::#ident(#union::unknown(json))),
                is_unknown: quote!(matches!(self, Self::#ident(rest) if rest.is_unknown())),
                items: quote! {
                    #[automatically_derived]
                    impl From<#ty> for #name {
                        fn from(value: #ty) -> Self { Self::#ident(value) }
                    }
                },
                // Its variants are reached through here, by both of their tags.
                sub_key: quote!(const SUB_KEY: &'static str = #union::SUB_KEY;),
                schema: quote!(union.rest::<#ty>(generator);),
            }
        }
    }
}

fn boxed(variant: &Variant, value: TokenStream) -> TokenStream {
    if variant.boxed {
        quote!(Box::new(#value))
    } else {
        value
    }
}
