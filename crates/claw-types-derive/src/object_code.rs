//! Generates all the code for a struct.

use proc_macro2::TokenStream;
use quote::quote;

use crate::object::{Field, Mode, Object};
use crate::{object_de, object_each, object_new, object_schema, object_ser};

impl Object {
    /// Generates the code for the struct.
    pub(crate) fn expand(&self) -> TokenStream {
        let read = object_de::expand(self);
        let write = object_ser::expand(self);
        let build = object_new::expand(self);
        let schema = object_schema::expand(self);
        let each = object_each::expand(self);
        let envelope = envelope(self);
        let debug = self.has_secrets().then(|| debug(self));
        let name = &self.name;
        let request = self.response.as_ref().map(|response| {
            quote! {
                impl crate::control::Request for #name {
                    type Response = #response;
                }
            }
        });
        quote! { #read #write #build #schema #each #envelope #debug #request }
    }
}

/// Generates access to the fields that most top-level messages share. The union offers them without
/// a `match`.
fn envelope(object: &Object) -> TokenStream {
    let Some((_, kind)) = object.tags.first().filter(|(key, _)| key == "type") else {
        return TokenStream::new();
    };
    // The subtype is a tag, or, where any will do, a field.
    let kind = match object.tags.get(1) {
        Some((_, sub)) => format!("{kind}/{sub}"),
        None => kind.clone(),
    };
    let named = |f: &&Field, name: &str| f.key == name || f.ident == name;
    let field = |name: &str, text: bool| {
        let Some(Field { ident, mode, .. }) = object.fields.iter().find(|f| named(f, name)) else {
            return quote!(None);
        };
        match (*mode == Mode::Required, text) {
            (true, false) => quote!(Some(&self.#ident)),
            (true, true) => quote!(Some(self.#ident.as_ref())),
            (false, false) => quote!(self.#ident.as_ref()),
            (false, true) => quote!(self.#ident.as_ref().map(AsRef::as_ref)),
        }
    };
    let uuid = field("uuid", false);
    let session_id = field("session_id", false);
    let parent_tool_use_id = field("parent_tool_use_id", false);
    let subtype = field("subtype", true);
    let name = &object.name;
    quote! {
        #[automatically_derived]
        impl crate::wire::Enveloped for #name {
            #[inline]
            fn envelope(&self) -> crate::wire::Envelope<'_> {
                crate::wire::Envelope {
                    uuid: #uuid,
                    session_id: #session_id,
                    parent_tool_use_id: #parent_tool_use_id,
                    kind: #kind,
                    subtype: #subtype,
                }
            }
        }
    }
}

/// Generates a `Debug` that hides secrets.
fn debug(object: &Object) -> TokenStream {
    let name = &object.name;
    let title = name.to_string();
    let fields = object.fields.iter().map(|f| {
        let (ident, label) = (&f.ident, f.ident.to_string());
        if f.secret {
            quote!(.field(#label, &format_args!("(secret)")))
        } else {
            quote!(.field(#label, &self.#ident))
        }
    });
    quote! {
        #[automatically_derived]
        impl ::std::fmt::Debug for #name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.debug_struct(#title) #(#fields)* // Somebody else's secrets may stand there.
                    .field("extra", &self.extra.iter().map(|(key, _)| key).collect::<Vec<_>>())
                    .finish()
            }
        }
    }
}
