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
    let count = variants.len();
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
    let (find_rest, read_rest, unknown, write_rest, is_unknown, from_rest, schema_rest, sub_key) =
        match fallback {
            Fallback::Unknown(ident) => (
                quote!(crate::wire::Found::Nothing),
                quote!(Ok(Self::#ident(crate::Unknown::read(map)?))),
                quote!(Self::#ident(crate::Unknown::new(json))),
                quote!(Self::#ident(value) => ::serde::Serialize::serialize(value, serializer)),
                quote!(matches!(self, Self::#ident(_))),
                TokenStream::new(),
                quote!(),
                quote!(),
            ),
            Fallback::Rest(ident, ty) => (
                quote!(<#ty as crate::wire::Union>::find(tag, sub).shift(#count)),
                quote!(<#ty as crate::wire::Union>::read(variant - #count, map, tags_read).map(Self::#ident)),
                quote!(Self::#ident(<#ty as crate::wire::Union>::unknown(json))),
                quote!(Self::#ident(value) => ::serde::Serialize::serialize(value, serializer)),
                quote!(matches!(self, Self::#ident(rest) if rest.is_unknown())),
                quote! {
                    #[automatically_derived]
                    impl From<#ty> for #name {
                        fn from(value: #ty) -> Self { Self::#ident(value) }
                    }
                },
                quote!(union.rest::<#ty>(generator);),
                quote!(const SUB_KEY: &'static str = <#ty as crate::wire::Union>::SUB_KEY;),
            ),
        };
    quote! {
        const _: () = crate::wire::assert_distinct(&[#(<#inners as crate::wire::Tagged>::TAGS),*]);

        #[automatically_derived]
        impl crate::wire::Union for #name {
            const TABLE: &'static [crate::wire::Tags] =
                &[#(<#inners as crate::wire::Tagged>::TAGS),*];
            #sub_key

            fn find(tag: &str, sub: crate::wire::Sub<'_>) -> crate::wire::Found {
                match crate::wire::find(Self::TABLE, tag, sub) {
                    crate::wire::Found::Nothing => #find_rest,
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
                    _ => #read_rest,
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
                    #write_rest,
                }
            }
        }

        #[automatically_derived]
        impl #name {
            /// Whether this is a kind that claw does not know: kept as it came, sent on unchanged.
            pub fn is_unknown(&self) -> bool { #is_unknown }
        }

        #(#froms)*
        #from_rest

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
                #schema_rest
                union.finish()
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
