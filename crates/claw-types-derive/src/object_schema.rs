//! The JSON Schema of an object: each definition carries its own tags, so that a union is a list
//! of references.

use proc_macro2::TokenStream;
use quote::quote;

use crate::object::{Mode, Object};

pub(crate) fn expand(object: &Object) -> TokenStream {
    let name = &object.name;
    let title = name.to_string();
    let docs = &object.docs;
    let tags = object
        .tags
        .iter()
        .map(|(key, value)| quote!(object.tag(#key, #value);));
    let fields = object.fields.iter().map(|f| {
        let (key, inner, docs) = (&f.key, &f.inner, &f.docs);
        let mode = match f.mode {
            Mode::Required => quote!(Required),
            Mode::Optional if f.expected => quote!(Expected),
            Mode::Optional => quote!(Optional),
            Mode::Nullable => quote!(Nullable),
            Mode::Tri => quote!(Tri),
        };
        let since = f
            .since
            .as_ref()
            .map_or(quote!(None), |since| quote!(Some(#since)));
        quote! {
            object.field::<#inner>(generator, #key, crate::schema::Mode::#mode, #docs, #since);
        }
    });
    quote! {
        #[cfg(feature = "schema")]
        #[automatically_derived]
        impl ::schemars::JsonSchema for #name {
            fn schema_name() -> ::std::borrow::Cow<'static, str> { #title.into() }
            fn schema_id() -> ::std::borrow::Cow<'static, str> {
                concat!(module_path!(), "::", #title).into()
            }
            fn json_schema(generator: &mut ::schemars::SchemaGenerator) -> ::schemars::Schema {
                let mut object = crate::schema::ObjectSchema::new(#docs);
                #(#tags)*
                #(#fields)*
                object.finish()
            }
        }
    }
}
