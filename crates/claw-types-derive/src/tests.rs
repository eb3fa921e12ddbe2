//! What `#[wire]` makes, and what it refuses and why.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, parse_quote};

/// All that becomes of a struct or an enum.
fn expanded(arguments: TokenStream, item: TokenStream) -> String {
    crate::attribute::expand(arguments, item)
        .unwrap_or_else(syn::Error::into_compile_error)
        .to_string()
}

/// What is said about a struct that is wrong; the struct is there nevertheless.
fn refusal(arguments: TokenStream, item: TokenStream) -> String {
    let all = expanded(arguments, item);
    assert!(all.contains("compile_error"), "taken: {all}");
    all
}

/// What is said about an enum that is wrong.
fn union_refusal(input: &DeriveInput) -> String {
    match crate::union::derive(input) {
        Ok(tokens) => panic!("taken: {tokens}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_is_no_object() {
    let none = TokenStream::new;
    assert!(refusal(none(), quote! { struct S(String); }).contains("named fields"));
    assert!(refusal(none(), quote! { struct S<T> { a: T } }).contains("generics"));
    assert!(refusal(none(), quote! { union U { a: u8 } }).contains("structs and enums"));
    assert!(refusal(none(), quote! { fn f() {} }).contains("expected"));
}

#[test]
fn attributes_that_nobody_knows() {
    let said = refusal(quote!(rename_all = "kebab-case"), quote! { struct S {} });
    assert!(said.contains("camelCase"), "{said}");
    let said = refusal(quote!(tags), quote! { struct S {} });
    assert!(said.contains("expected tag"), "{said}");
    let said = refusal(quote!(), quote! { struct S { #[wire(default)] a: String } });
    assert!(said.contains("expected rename"), "{said}");
    // What is wrong is said once: the struct is there, without what only the macro knows.
    assert!(said.contains("struct S"), "{said}");
    assert!(!said.contains("# [wire"), "{said}");
    let said = refusal(quote!(), quote! { struct S { #[cfg(test)] a: String } });
    assert!(said.contains("no cfg"), "{said}");
}

#[test]
fn extra_is_added_and_may_be_written() {
    let all = expanded(quote!(), quote! { pub struct S { a: String } });
    assert_eq!(
        all.matches("pub extra : crate :: Extra").count(),
        1,
        "{all}"
    );
    assert!(all.contains("Fields that claw does not know."), "{all}");
    let own = quote! { pub struct S { #[doc = "Mine."] #[wire(extra)] pub extra: Extra } };
    let all = expanded(quote!(), own);
    assert!(
        all.contains("# [doc = \"Mine.\"] pub extra : Extra }"),
        "{all}"
    );
    assert!(!all.contains("crate :: Extra }"), "{all}");
    for item in [
        quote! { struct S { extra: Extra } },
        quote! { struct S { #[wire(extra)] rest: Extra } },
    ] {
        let said = refusal(quote!(), item);
        assert!(said.contains("#[wire(extra)]"), "{said}");
    }
}

#[test]
fn nullable_is_for_options() {
    for field in [
        quote!(#[wire(nullable)] a: String),
        quote!(#[wire(nullable)] a: Tri<String>),
    ] {
        let said = refusal(quote!(), quote! { struct S { #field } });
        assert!(said.contains("Option"), "{said}");
    }
}

#[test]
fn unions_of_something_else() {
    let said = union_refusal(&parse_quote! { enum E { A(A) } });
    assert!(said.contains("#[wire(unknown)]"), "{said}");
    let said = union_refusal(&parse_quote! { enum E { A, #[union(unknown)] U(Unknown) } });
    assert!(said.contains("one struct"), "{said}");
    let said = union_refusal(&parse_quote! { enum E { A(A, B), #[union(unknown)] U(Unknown) } });
    assert!(said.contains("one struct"), "{said}");
    let said =
        union_refusal(&parse_quote! { #[union(open)] enum E { #[union(unknown)] U(Unknown) } });
    assert!(said.contains("envelope"), "{said}");
    let said = union_refusal(&parse_quote! { enum E { #[union(other)] U(Unknown) } });
    assert!(said.contains("unknown or rest"), "{said}");
    let said = union_refusal(&parse_quote! {
        enum E { A(A), #[union(narrows = B)] C(C), #[union(unknown)] U(Unknown) }
    });
    assert!(said.contains("no such variant"), "{said}");
    let said = union_refusal(&parse_quote! {
        enum E { A(A), #[union(also)] B(B), #[union(rest)] R(R) }
    });
    assert!(said.contains("do not go together"), "{said}");
}

#[test]
fn a_union_inside_of_another() {
    let input = parse_quote! { enum E { A(A), #[union(also)] B(B), #[union(unknown)] U(Unknown) } };
    let all = crate::union::derive(&input).unwrap().to_string();
    assert!(all.contains("assert_apart"), "{all}");
    assert!(all.contains("impl From < B > for E"), "{all}");
    let input = parse_quote! { #[union(lenient)] enum E { A(A), #[union(unknown)] U(Unknown) } };
    let all = crate::union::derive(&input).unwrap().to_string();
    assert!(all.contains("const LENIENT : usize = 0"), "{all}");
}

#[test]
fn an_enum_goes_on_to_its_derive() {
    let item = quote! { pub enum E { A(A), #[wire(unknown)] U(Unknown) } };
    let all = expanded(quote!(envelope), item.clone());
    assert!(all.contains("derive (Debug , Clone , PartialEq"), "{all}");
    assert!(all.contains("# [union (envelope)]"), "{all}");
    assert!(all.contains("# [union (unknown)] U"), "{all}");
    assert!(!all.contains("Unknown (crate :: Unknown)"), "{all}");
    let all = expanded(quote!(), quote! { pub enum E { A(A) } });
    assert!(
        all.contains("# [union (unknown)] Unknown (crate :: Unknown)"),
        "{all}"
    );
    let all = expanded(
        quote!(),
        quote! { pub enum E { A(A), #[wire(rest)] Rest(Rest) } },
    );
    assert!(!all.contains("unknown"), "{all}");
    let all = expanded(quote!(no_debug), item);
    assert!(all.contains("derive (Clone , PartialEq"), "{all}");
}

#[test]
fn open_enums() {
    let item = quote! { #[doc = "E."] pub enum E { #[doc = "A."] A = "a" } };
    let all = expanded(quote!(open), item);
    let call = "open_enum ! { # [doc = \"E.\"] E { # [doc = \"A.\"] A = 0 \"a\" , } }";
    assert!(all.contains(call), "{all}");
    for item in [quote! { enum E { A } }, quote! { enum E { A(A) } }] {
        let said = refusal(quote!(open), item);
        assert!(said.contains("says its text"), "{said}");
    }
}

#[test]
fn what_is_taken() {
    let arguments = quote!(
        tag(type = "a", subtype = "b"),
        rename_all = "camelCase",
        response = Option<Json>
    );
    let all = expanded(
        arguments,
        quote! {
            struct S {
                some_field: Option<String>,
                #[wire(rename = "x")] other: Tri<Vec<u8>>,
                #[wire(nullable)] r#type_of: Option<u8>,
            }
        },
    );
    for part in [
        "\"someField\"",
        "\"x\"",
        "\"typeOf\"",
        "\"subtype\"",
        "Response = Option < Json >",
    ] {
        assert!(all.contains(part), "{part}");
    }
    assert!(!all.contains("some_field\" "));
    assert!(all.contains("derive (Debug , Clone"), "{all}");
    let all = expanded(quote!(), quote! { struct S { #[wire(secret)] a: String } });
    assert!(all.contains("derive (Clone"), "{all}");
    assert!(all.contains("impl :: std :: fmt :: Debug for S"), "{all}");
}

#[test]
fn options_are_passed_on_with_their_ways() {
    let options = quote! { pub struct Options {
        #[wire(flag = "max-turns")] max_turns: Option<Count>,
        #[wire(flag = "strict")] strict: Option<bool>,
        #[wire(flag = "root")] root: Option<PathBuf>,
        #[wire(flag = "add-dir")] directories: Option<Vec<PathBuf>>,
        #[wire(flag = "betas", way = "commas")] betas: Option<Vec<Beta>>,
        #[wire(arguments = thinking)] thinking: Option<Thinking>,
        #[wire(initialize, rename = "name")] title: Option<String>,
        #[wire(variable = "DEBUG")] debug: Option<bool>,
        #[wire(way = "the directory")] cwd: Option<PathBuf>,
    } };
    let arguments = quote!(rename_all = "camelCase", each = each_option);
    let all = expanded(arguments.clone(), options);
    assert!(
        all.contains("# [macro_export] macro_rules ! each_option"),
        "{all}"
    );
    for row in [
        r#"{ max_turns "maxTurns" value ("max-turns") "" }"#,
        r#"{ strict "strict" switch ("strict") "" }"#,
        r#"{ root "root" path ("root") "" }"#,
        r#"{ directories "directories" paths ("add-dir") "" }"#,
        r#"{ betas "betas" list ("betas") "commas" }"#,
        r#"{ thinking "thinking" arguments (thinking) "" }"#,
        r#"{ title "name" initialize () "" }"#,
        r#"{ debug "debug" variable ("DEBUG") "" }"#,
        r#"{ cwd "cwd" other () "the directory" }"#,
    ] {
        assert!(all.contains(row), "{row} is not in {all}");
    }
    let said = refusal(
        arguments,
        quote! { struct Options { model: Option<String> } },
    );
    assert!(said.contains("declares its way"), "{said}");
}

#[test]
fn requests_are_passed_on_with_their_methods() {
    let requests = quote! { pub enum Requests {
        #[wire(method(
            /// Sets the model.
            set_model(model: impl Into<String>) = { SetModel::new().model(model) }
        ))]
        SetModel(Box<SetModel>),
        #[wire(no_method = "the CLI sends it")]
        CanUseTool(CanUseTool),
        #[wire(unknown)]
        Unknown(Unknown),
    } };
    // The attribute gives the derive its own form of the enum.
    let arguments = quote!(requests = each_request);
    let derived = crate::attribute::expand(arguments.clone(), requests).unwrap();
    let all = crate::union::derive(&syn::parse2(derived).unwrap()).unwrap();
    let all = all.to_string();
    let rows = "$ make ! { SetModel { # [doc = r\" Sets the model.\"] set_model (model : impl Into < String >) = { \
                SetModel :: new () . model (model) } } CanUseTool { } }";
    assert!(all.contains(rows), "{all}");

    let silent = quote! { pub enum Requests { SetModel(SetModel), #[wire(unknown)] U(Unknown) } };
    let derived = crate::attribute::expand(arguments, silent).unwrap();
    let said = union_refusal(&syn::parse2(derived).unwrap());
    assert!(said.contains("declares its method"), "{said}");
    let said = union_refusal(&parse_quote! {
        enum E { #[union(no_method = "why")] A(A), #[union(unknown)] U(Unknown) }
    });
    assert!(said.contains("only a request"), "{said}");
}

#[test]
fn groups_of_fields() {
    let group = expanded(
        quote!(fields),
        quote! { pub(crate) struct Group { pub a: String, #[wire(nullable)] pub b: Option<u8> } },
    );
    assert!(group.contains("macro_rules ! Group"), "{group}");
    assert!(group.contains("# [wire (nullable)] pub b"), "{group}");
    assert!(group.contains("pub (crate) use Group"), "{group}");

    let user = quote! { #[doc = "S."] pub struct S { pub x: u8, fields: Group!(), pub y: u8 } };
    let all = expanded(quote!(no_new), user);
    let call = "Group ! { [no_new] [# [doc = \"S.\"] pub struct S] [pub x : u8 ,] [pub y : u8 ,] }";
    assert_eq!(all, call);

    let said = refusal(quote!(), quote! { struct S { fields: Group!(a) } });
    assert!(said.contains("fields: Group!()"), "{said}");
    let said = refusal(quote!(fields), quote! { struct Group(u8); });
    assert!(said.contains("named fields"), "{said}");
}
