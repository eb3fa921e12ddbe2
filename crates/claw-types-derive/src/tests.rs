//! What the derives refuse, and that they say why.

use quote::ToTokens;
use syn::{DeriveInput, parse_quote};

fn refusal(input: &DeriveInput) -> String {
    let result = match input.data {
        syn::Data::Enum(_) => crate::union::derive(input),
        _ => crate::object::derive(input),
    };
    match result {
        Ok(tokens) => panic!("{} is taken: {tokens}", input.to_token_stream()),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_struct_without_room_for_unknown_fields() {
    let said = refusal(&parse_quote! { struct S { pub a: String } });
    assert!(said.contains("#[wire(extra)]"), "{said}");
}

#[test]
fn what_is_no_object() {
    assert!(refusal(&parse_quote! { struct S(String); }).contains("named fields"));
    assert!(refusal(&parse_quote! { struct S<T> { a: T } }).contains("generics"));
    let said = refusal(&parse_quote! { union U { a: u8 } });
    assert!(said.contains("WireUnion"), "{said}");
}

#[test]
fn attributes_that_nobody_knows() {
    let said = refusal(&parse_quote! {
        #[wire(rename_all = "kebab-case")] struct S { #[wire(extra)] extra: Extra }
    });
    assert!(said.contains("camelCase"), "{said}");
    let said = refusal(&parse_quote! { #[wire(tags)] struct S { #[wire(extra)] extra: Extra } });
    assert!(said.contains("expected tag"), "{said}");
    let said = refusal(&parse_quote! {
        struct S { #[wire(default)] a: String, #[wire(extra)] extra: Extra }
    });
    assert!(said.contains("expected rename"), "{said}");
    let said = refusal(&parse_quote! { #[wire(open)] enum E { #[wire(unknown)] U(Unknown) } });
    assert!(said.contains("envelope"), "{said}");
    let said = refusal(&parse_quote! { enum E { #[wire(other)] U(Unknown) } });
    assert!(said.contains("unknown or rest"), "{said}");
    let said = refusal(&parse_quote! {
        enum E { A(A), #[wire(narrows = B)] C(C), #[wire(unknown)] U(Unknown) }
    });
    assert!(said.contains("no such variant"), "{said}");
}

#[test]
fn nullable_is_for_options() {
    for field in [
        quote::quote!(#[wire(nullable)] a: String),
        quote::quote!(#[wire(nullable)] a: Tri<String>),
    ] {
        let said = refusal(&parse_quote! { struct S { #field, #[wire(extra)] extra: Extra } });
        assert!(said.contains("Option"), "{said}");
    }
}

#[test]
fn unions_of_something_else() {
    let said = refusal(&parse_quote! { enum E { A(A) } });
    assert!(said.contains("#[wire(unknown)]"), "{said}");
    assert!(
        refusal(&parse_quote! { enum E { A, #[wire(unknown)] U(Unknown) } }).contains("one struct")
    );
    assert!(
        refusal(&parse_quote! { enum E { A(A, B), #[wire(unknown)] U(Unknown) } })
            .contains("one struct")
    );
}

#[test]
fn what_is_taken() {
    let object: DeriveInput = parse_quote! {
        #[wire(tag(type = "a", subtype = "b"), rename_all = "camelCase")]
        struct S {
            some_field: Option<String>,
            #[wire(rename = "x")] other: Tri<Vec<u8>>,
            #[wire(nullable)] r#type_of: Option<u8>,
            #[wire(extra)] extra: Extra,
        }
    };
    let tokens = crate::object::derive(&object).unwrap().to_string();
    for key in ["\"someField\"", "\"x\"", "\"typeOf\"", "\"subtype\""] {
        assert!(tokens.contains(key), "{key}");
    }
    assert!(!tokens.contains("some_field\" "));
}
