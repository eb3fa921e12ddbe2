//! Generates the writer of an object: one call writes all fields that are present.

use proc_macro2::TokenStream;
use quote::quote;

use crate::object::Object;

pub(crate) fn expand(object: &Object) -> TokenStream {
    let name = &object.name;
    let fields = object.fields.iter().map(|f| &f.ident);
    quote! {
        #[automatically_derived]
        impl crate::wire::Write for #name {
            // Compiled only where it is called, as its reader is.
            #[inline]
            fn write(&self, writer: &mut crate::wire::Writer<'_>) -> Result<(), crate::wire::Failed> {
                let shape = <Self as crate::wire::Object>::SHAPE;
                writer.object(shape, &[#(&self.#fields),*], &self.extra)
            }
        }

        crate::wire::by_text!(#name);
    }
}
