//! The description of a union in an enum and its attributes.

use proc_macro2::TokenStream;
use syn::{Data, DeriveInput, Error, Fields, Ident, LitStr, Result, Type, parenthesized};

use crate::object::{docs, each_wire, generic};

/// A variant that holds a struct which no other variant holds.
pub(super) struct Variant {
    pub(super) ident: Ident,
    /// The type of the struct, without the box.
    pub(super) inner: Type,
    pub(super) boxed: bool,
    /// The declaration of the method that sends the request. Empty if the variant declares that no method does.
    pub(super) method: Option<TokenStream>,
}

/// A variant that shares its tags with another variant. An object that was read as the other
/// variant becomes this one if its struct decides it.
pub(super) struct Narrower {
    pub(super) variant: Variant,
    /// The name of the other variant.
    pub(super) wide: Ident,
}

/// The variant for an object whose tags fit no variant.
pub(super) enum Fallback {
    Unknown(Ident),
    Rest(Ident, Box<Type>),
}

/// The role of a variant that holds a union or an unknown object, and no struct.
enum Special {
    Also,
    Fallback(Fallback),
}

/// The contents of an enum and its attributes.
pub(super) struct Parts<'a> {
    pub(super) name: &'a Ident,
    pub(super) docs: String,
    /// The variants that the table lists.
    pub(super) variants: Vec<Variant>,
    pub(super) narrower: Vec<Narrower>,
    /// The variant that holds another union, whose members are also members of this union.
    pub(super) also: Option<(Ident, Type)>,
    pub(super) fallback: Fallback,
    /// Whether a member whose body does not fit becomes unknown.
    pub(super) lenient: bool,
    /// Whether the variants have the fields that most messages share.
    pub(super) envelope: bool,
    /// The union that has this union as a variant.
    pub(super) within: Option<Ident>,
    /// The key of the tag for which a method is generated.
    pub(super) tag: Option<Ident>,
    /// The name of the macro that is generated for the members if they are control requests.
    pub(super) requests: Option<Ident>,
}

impl<'a> Parts<'a> {
    pub(super) fn read(input: &'a DeriveInput) -> Result<Self> {
        let Data::Enum(data) = &input.data else {
            return Err(Error::new_spanned(&input.ident, "WireUnion is for enums"));
        };
        let mut variants = Vec::new();
        let mut narrower = Vec::new();
        let (mut also, mut fallback) = (None, None);
        for variant in &data.variants {
            let Fields::Unnamed(fields) = &variant.fields else {
                return Err(Error::new_spanned(variant, "a variant holds one struct"));
            };
            let (Some(field), 1) = (fields.unnamed.first(), fields.unnamed.len()) else {
                return Err(Error::new_spanned(variant, "a variant holds one struct"));
            };
            let ident = variant.ident.clone();
            let (mut special, mut wide, mut method) = (None, None, None);
            each_wire(&variant.attrs, |meta| {
                if meta.path.is_ident("narrows") {
                    wide = Some(meta.value()?.parse::<Ident>()?);
                    return Ok(());
                }
                if meta.path.is_ident("method") {
                    let declared;
                    parenthesized!(declared in meta.input);
                    method = Some(declared.parse()?);
                    return Ok(());
                }
                if meta.path.is_ident("no_method") {
                    meta.value()?.parse::<LitStr>()?;
                    method = Some(TokenStream::new());
                    return Ok(());
                }
                special = Some(if meta.path.is_ident("also") {
                    Special::Also
                } else if meta.path.is_ident("unknown") {
                    Special::Fallback(Fallback::Unknown(ident.clone()))
                } else if meta.path.is_ident("rest") {
                    Special::Fallback(Fallback::Rest(ident.clone(), Box::new(field.ty.clone())))
                } else {
                    return Err(
                        meta.error("expected narrows, method, no_method, also, unknown or rest")
                    );
                });
                Ok(())
            })?;
            match special {
                Some(Special::Also) => {
                    also = Some((ident, field.ty.clone()));
                    continue;
                }
                Some(Special::Fallback(special)) => {
                    fallback = Some(special);
                    continue;
                }
                None => {}
            }
            let unboxed = generic(&field.ty, "Box");
            let variant = Variant {
                ident,
                boxed: unboxed.is_some(),
                inner: unboxed.unwrap_or_else(|| field.ty.clone()),
                method,
            };
            match wide {
                None => variants.push(variant),
                Some(wide) => narrower.push(Narrower { variant, wide }),
            }
        }
        if let Some(lost) = narrower
            .iter()
            .find(|n| variants.iter().all(|v| v.ident != n.wide))
        {
            return Err(Error::new_spanned(&lost.wide, "there is no such variant"));
        }
        let (mut envelope, mut lenient) = (false, false);
        let (mut requests, mut within, mut tag) = (None, None, None);
        each_wire(&input.attrs, |meta| {
            if meta.path.is_ident("envelope") {
                envelope = true;
                Ok(())
            } else if meta.path.is_ident("lenient") {
                lenient = true;
                Ok(())
            } else if meta.path.is_ident("requests") {
                requests = Some(meta.value()?.parse::<Ident>()?);
                Ok(())
            } else if meta.path.is_ident("within") {
                within = Some(meta.value()?.parse::<Ident>()?);
                Ok(())
            } else if meta.path.is_ident("tag") {
                tag = Some(meta.value()?.parse::<Ident>()?);
                Ok(())
            } else if meta.path.is_ident("no_debug") {
                // Done already, by the attribute.
                Ok(())
            } else {
                Err(meta.error("expected envelope, lenient, requests, within, tag or no_debug"))
            }
        })?;
        let declared = variants.iter().find(|v| v.method.is_some());
        if let (None, Some(variant)) = (&requests, declared) {
            let wrong = "only a request has a method: #[wire(requests = …)] on the enum";
            return Err(Error::new_spanned(&variant.ident, wrong));
        }
        let Some(fallback) = fallback else {
            return Err(Error::new_spanned(
                &input.ident,
                "mark the variant that keeps what is not known: #[wire(unknown)]",
            ));
        };
        if let (Some((also, _)), Fallback::Rest(..)) = (&also, &fallback) {
            return Err(Error::new_spanned(
                also,
                "`also` and `rest` do not go together",
            ));
        }
        Ok(Self {
            name: &input.ident,
            docs: docs(&input.attrs),
            variants,
            narrower,
            also,
            fallback,
            lenient,
            envelope,
            within,
            tag,
            requests,
        })
    }

    /// Returns every variant that has a struct of its own.
    pub(super) fn all(&self) -> impl Iterator<Item = &Variant> {
        let narrower = self.narrower.iter().map(|n| &n.variant);
        self.variants.iter().chain(narrower)
    }
}
