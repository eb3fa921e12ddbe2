//! Generates the methods of a union that need no `match`: the tag's text, and the fields that most messages have.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Ident;

use super::{Fallback, Parts};

/// Generates a method with the name of the tag's key, which returns the text of the tag.
pub(super) fn tag(parts: &Parts<'_>, key: &Ident) -> TokenStream {
    let (name, text) = (parts.name, key.to_string());
    let (Fallback::Unknown(other) | Fallback::Rest(other, _)) = &parts.fallback;
    let doc = format!(
        "Returns the value of the field `{key}` in the JSON. The text is empty if the field is absent."
    );
    let also = parts
        .also
        .iter()
        .map(|(ident, _)| quote!(Self::#ident(also) => also.#key(),));
    let arms = parts.all().map(|v| {
        let (ident, inner) = (&v.ident, &v.inner);
        quote!(Self::#ident(_) => <#inner as crate::wire::Tagged>::TAGS[0].1.into(),)
    });
    quote! {
        #[automatically_derived]
        impl #name {
            #[doc = #doc]
            pub fn #key(&self) -> ::std::borrow::Cow<'_, str> {
                match self {
                    #(#arms)*
                    #(#also)*
                    Self::#other(other) => other.text(#text).unwrap_or_default().into(),
                }
            }
        }
    }
}

/// Generates access to the fields that most messages share, so that users need no `match`.
pub(super) fn envelope(parts: &Parts<'_>) -> TokenStream {
    let methods = [
        (
            "uuid",
            quote!(MessageUuid),
            "The UUID of the message. `None` if the message has none, or if its kind is unknown to this version of \
             claw.",
        ),
        (
            "session_id",
            quote!(SessionId),
            "The ID of the message's session. `None` if the message has none, or if its kind is unknown to this \
             version of claw.",
        ),
        (
            "parent_tool_use_id",
            quote!(ToolUseId),
            "The ID of the tool use that started the sub-agent from which the message comes. `None` for the main \
             conversation.",
        ),
    ]
    .map(|(method, ty, doc)| {
        let method = Ident::new(method, proc_macro2::Span::call_site());
        quote! {
            #[doc = #doc]
            pub fn #method(&self) -> Option<&crate::#ty> {
                self.envelope()?.#method
            }
        }
    });
    let arms = parts.all().map(|v| {
        let (ident, inner) = (&v.ident, &v.inner);
        quote!(Self::#ident(value) => <#inner as crate::wire::Enveloped>::envelope(value),)
    });
    let also = parts
        .also
        .iter()
        .map(|(ident, _)| quote!(Self::#ident(also) => return also.envelope(),));
    let also_kind = parts
        .also
        .iter()
        .map(|(ident, _)| quote!(Self::#ident(also) => also.kind(),));
    let other = match &parts.fallback {
        Fallback::Unknown(_) => quote!(_ => return None),
        Fallback::Rest(ident, _) => quote!(Self::#ident(rest) => return rest.envelope()),
    };
    let (Fallback::Unknown(rest) | Fallback::Rest(rest, _)) = &parts.fallback;
    let name = parts.name;
    quote! {
        #[automatically_derived]
        impl #name {
            #(#methods)*

            /// Returns the kind of the message as it is in the JSON: the `type`, followed by a slash and the `subtype`
            /// if there is one, such as `assistant` or `system/init`. This also works for unknown kinds. The text is
            /// empty if the line has no `type`. For a `control_request`, `ControlRequestBody::subtype` says what is
            /// requested.
            pub fn kind(&self) -> ::std::borrow::Cow<'_, str> {
                match self.envelope() {
                    Some(envelope) => envelope.kind(),
                    None => match self {
                        Self::#rest(rest) => rest.kind(),
                        #(#also_kind)*
                        _ => ::std::borrow::Cow::Borrowed(""),
                    },
                }
            }

            /// Returns the fields that most messages have. `None` for kinds that this version of claw does not know.
            pub(crate) fn envelope(&self) -> Option<crate::wire::Envelope<'_>> {
                Some(match self { #(#arms)* #(#also)* #other })
            }
        }
    }
}
