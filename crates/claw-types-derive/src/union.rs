//! Generates a union. The enum is the table of variants; the structs own the tags.

mod accessors;
mod parts;

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use syn::{DeriveInput, Error, Ident, Result, Type};

use parts::{Fallback, Parts, Variant};

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let parts = Parts::read(input)?;
    let union = expand(&parts);
    let accessors = parts.envelope.then(|| accessors::envelope(&parts));
    let key = parts.tag.as_ref();
    let tag = key.map(|key| accessors::tag(&parts, key));
    let outer = parts.within.as_ref();
    let into_outer = outer.map(|outer| into_outer(&parts, outer));
    let requests = parts.requests.as_ref();
    let each = requests
        .map(|each| each_request(&parts, each))
        .transpose()?;
    let responses = requests.map(|_| responses(&parts));
    Ok(quote! { #union #accessors #tag #into_outer #responses #each })
}

/// Generates a function that defines the response of each request in a schema.
fn responses(parts: &Parts<'_>) -> TokenStream {
    let name = parts.name;
    let requests = parts.all().map(|v| &v.inner);
    let also = parts.also.iter().map(|(_, also)| also);
    quote! {
        #[cfg(feature = "schema")]
        #[automatically_derived]
        impl #name {
            /// Defines the response of each request. Returns pairs of a request and its response, by definition.
            pub(crate) fn responses(generator: &mut ::schemars::SchemaGenerator) -> Vec<(String, String)> {
                let mut responses = vec![#(crate::schema::response::<#requests>(generator)),*];
                #(responses.extend(#also::responses(generator));)*
                responses
            }
        }
    }
}

/// Generates the macro that passes on the requests, each with the declaration of its method.
fn each_request(parts: &Parts<'_>, each: &Ident) -> Result<TokenStream> {
    let rows = parts.all().map(|request| {
        let name = &request.ident;
        let method = request.method.as_ref().ok_or_else(|| {
            let wrong =
                "a request declares its method: `method(…)`, or `no_method = \"the reason\"`";
            Error::new_spanned(name, wrong)
        })?;
        Ok(quote!(#name { #method }))
    });
    let rows = rows.collect::<Result<Vec<_>>>()?;
    Ok(quote! {
        #[doc(hidden)]
        #[macro_export]
        macro_rules! #each {
            ($make:ident) => { $make! { #(#rows)* } };
        }
    })
}

/// Generates conversions of each struct to the union that holds this union, in one step.
fn into_outer(parts: &Parts<'_>, outer: &Ident) -> TokenStream {
    let name = parts.name;
    let froms = parts.all().map(|v| {
        let inner = &v.inner;
        quote! {
            #[automatically_derived]
            impl From<#inner> for #outer {
                #[inline]
                fn from(value: #inner) -> Self { Self::from(#name::from(value)) }
            }
        }
    });
    quote!(#(#froms)*)
}

fn expand(parts: &Parts<'_>) -> TokenStream {
    let Parts {
        name,
        docs,
        variants,
        narrower,
        also,
        lenient,
        ..
    } = parts;
    let title = name.to_string();
    // Half of them empty, so that a search is short.
    let slots = (2 * variants.len()).next_power_of_two().max(2);
    let inners: Vec<_> = variants.iter().map(|v| &v.inner).collect();
    let members = parts.all().map(|v| &v.inner);
    let read = variants.iter().enumerate().map(|(i, v)| {
        let (ident, inner, i) = (&v.ident, &v.inner, Literal::usize_suffixed(i));
        let place = if v.boxed {
            quote!(Box<#inner>)
        } else {
            quote!(#inner)
        };
        let object = quote! {
            <#inner as crate::wire::Object>::read_object::<#place>(parser, opened)
        };
        let narrow: Vec<_> = narrower
            .iter()
            .filter(|n| n.wide == v.ident)
            .map(|n| {
                let (ident, inner) = (&n.variant.ident, &n.variant.inner);
                let wide = if v.boxed {
                    quote!(*value)
                } else {
                    quote!(value)
                };
                let value = boxed(&n.variant, quote!(value));
                quote! {
                    if <#inner as crate::wire::Narrow<_>>::is_meant(&value) {
                        return <#inner as crate::wire::Narrow<_>>::narrow(#wide)
                            .map(|value| Self::#ident(#value))
                            .map_err(|lacks| lacks.fail_at(parser));
                    }
                }
            })
            .collect();
        if narrow.is_empty() {
            quote!(#i => match #object {
                Ok(value) => Ok(Self::#ident(value)),
                Err(error) => Err(error),
            })
        } else {
            quote!(#i => { let value = match #object {
                Ok(value) => value,
                Err(error) => return Err(error),
            }; #(#narrow)* Ok(Self::#ident(value)) })
        }
    });
    let write = parts.all().map(|v| {
        let (ident, inner) = (&v.ident, &v.inner);
        quote!(Self::#ident(value) => <#inner as crate::wire::Write>::write(value, writer))
    });
    let write_also = also
        .iter()
        .map(|(ident, _)| quote!(Self::#ident(value) => crate::wire::Write::write(value, writer),));
    let froms = parts.all().map(|v| {
        let (ident, inner) = (&v.ident, &v.inner);
        let value = boxed(v, quote!(value));
        quote! {
            #[automatically_derived]
            impl From<#inner> for #name {
                #[inline]
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
        consts,
        schema,
    } = otherwise(parts);
    let schema_lenient = lenient.then(|| quote!(union.lenient();));
    quote! {
        #[cfg(test)]
        const _: () = crate::wire::assert_distinct(&[#(<#inners as crate::wire::Tagged>::TAGS),*]);

        #[automatically_derived]
        impl #name {
            const INDEX: &'static crate::wire::Index<#slots> =
                &crate::wire::Index::of(<Self as crate::wire::Union>::TABLE);
        }

        #[automatically_derived]
        impl crate::wire::Union for #name {
            const TABLE: &'static [crate::wire::Tags] =
                &[#(<#inners as crate::wire::Tagged>::TAGS),*];
            #consts

            #[inline]
            fn find(tag: &str, sub: crate::wire::Subtype<'_>) -> crate::wire::TagMatch {
                match Self::INDEX.find(Self::TABLE, tag, sub) {
                    crate::wire::TagMatch::Nothing => #find,
                    found => found,
                }
            }

            fn read_variant(
                variant: usize,
                parser: &mut crate::wire::Parser<'_>,
                opened: bool,
            ) -> Result<Self, crate::wire::Failed> {
                match variant {
                    #(#read,)*
                    _ => #read_other,
                }
            }

            fn unknown(json: crate::Json) -> Self { #unknown }

            fn is_unknown(&self) -> bool { #is_unknown }
        }

        #[automatically_derived]
        impl crate::wire::Read for #name {
            #[inline]
            fn read(parser: &mut crate::wire::Parser<'_>) -> Result<Self, crate::wire::Failed> {
                crate::wire::read_union(parser)
            }
        }

        crate::wire::by_text!(#name);

        #[automatically_derived]
        impl crate::wire::Write for #name {
            fn write(&self, writer: &mut crate::wire::Writer<'_>) -> Result<(), crate::wire::Failed> {
                match self {
                    #(#write,)*
                    #(#write_also)*
                    Self::#other(value) => crate::wire::Write::write(value, writer),
                }
            }
        }

        #[automatically_derived]
        impl #name {
            /// Whether the kind is one that this version of claw does not know. The JSON of such a kind is kept and
            /// sent on unchanged.
            #[inline]
            pub fn is_unknown(&self) -> bool { crate::wire::Union::is_unknown(self) }
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
                #(union.member::<#members>(generator);)*
                #schema_lenient
                #schema
                union.finish()
            }
        }
    }
}

/// The code for an object whose tags fit no variant, for each place that needs it.
struct Otherwise<'a> {
    ident: &'a Ident,
    find: TokenStream,
    read: TokenStream,
    unknown: TokenStream,
    is_unknown: TokenStream,
    items: TokenStream,
    consts: TokenStream,
    schema: TokenStream,
}

fn otherwise<'a>(parts: &'a Parts<'_>) -> Otherwise<'a> {
    let (name, count) = (parts.name, parts.variants.len());
    let otherwise = match &parts.fallback {
        Fallback::Unknown(ident) => Otherwise {
            ident,
            find: quote!(crate::wire::TagMatch::Nothing),
            // No table has such a place.
            read: quote!(Err(crate::wire::Failed)),
            unknown: quote!(Self::#ident(crate::Unknown::new(json))),
            is_unknown: quote!(matches!(self, Self::#ident(_))),
            items: TokenStream::new(),
            consts: if parts.lenient {
                quote!(
                    const LENIENT: usize = 0;
                )
            } else {
                TokenStream::new()
            },
            schema: TokenStream::new(),
        },
        // Objects that are unknown in the other union are unknown in this one too.
        Fallback::Rest(ident, ty) => Otherwise {
            unknown: quote!(Self::#ident(<#ty as crate::wire::Union>::unknown(json))),
            is_unknown: quote!(matches!(self, Self::#ident(rest) if rest.is_unknown())),
            // Its variants are reached through here, by both of their tags.
            ..beyond(name, count, ident, ty)
        },
    };
    let Some((also, ty)) = &parts.also else {
        return otherwise;
    };
    let (is_unknown, beyond) = (otherwise.is_unknown, beyond(name, count, also, ty));
    let items = beyond.items;
    Otherwise {
        ident: otherwise.ident,
        unknown: otherwise.unknown,
        is_unknown: quote!(#is_unknown || matches!(self, Self::#also(also) if also.is_unknown())),
        items: quote! {
            #items
            #[cfg(test)]
            const _: () = crate::wire::assert_apart(
                <#name as crate::wire::Union>::TABLE,
                <#ty as crate::wire::Union>::TABLE,
            );
        },
        ..beyond
    }
}

/// The members of another union, which come after the `count` members of this union.
fn beyond<'a>(name: &Ident, count: usize, ident: &'a Ident, ty: &Type) -> Otherwise<'a> {
    let union = quote!(<#ty as crate::wire::Union>);
    Otherwise {
        ident,
        find: quote!(#union::find(tag, sub).shift(#count)),
        read: quote!(#union::read_variant(variant - #count, parser, opened).map(Self::#ident)),
        unknown: TokenStream::new(),
        is_unknown: TokenStream::new(),
        items: quote! {
            #[automatically_derived]
            impl From<#ty> for #name {
                #[inline]
                fn from(value: #ty) -> Self { Self::#ident(value) }
            }
        },
        consts: quote! {
            const SUB_KEY: &'static str = crate::wire::sub_key(Self::TABLE, #union::SUB_KEY);
            const LENIENT: usize = #union::LENIENT.saturating_add(#count);
        },
        schema: quote!(union.rest::<#ty>(generator);),
    }
}

fn boxed(variant: &Variant, value: TokenStream) -> TokenStream {
    if variant.boxed {
        quote!(Box::new(#value))
    } else {
        value
    }
}
