use super::*;
use crate::tidy::tokens::tokens;

/// Returns the circles of a crate that has these files below `a/src`.
fn circles_of(files: &[(&str, &str)]) -> Vec<String> {
    let paths: Vec<_> = files
        .iter()
        .map(|(path, _)| format!("a/src/{path}"))
        .collect();
    let texts = paths.iter().map(|path| &**path);
    circles(&texts.zip(files.iter().map(|(_, text)| *text)).collect())
}

const NONE: [String; 0] = [];

#[test]
fn two_files_that_use_each_other_are_a_circle() {
    let circle = [
        ("lib.rs", "mod b; mod c;"),
        (
            "b.rs",
            "use crate::c::END; pub struct Driver; fn f() { END; }",
        ),
        (
            "c.rs",
            "pub const END: u8 = 1; fn g(d: super::b::Driver) {}",
        ),
    ];
    assert_eq!(
        circles_of(&circle),
        ["a/src/b.rs uses END of a/src/c.rs, a/src/c.rs uses Driver of a/src/b.rs"]
    );
    let layers = [circle[0], circle[1], ("c.rs", "pub const END: u8 = 1;")];
    assert_eq!(circles_of(&layers), NONE);
}

#[test]
fn a_circle_may_be_longer() {
    let circle = [
        ("lib.rs", "mod b; mod c; mod d;"),
        ("b.rs", "fn b() { crate::c::c() }"),
        ("c.rs", "fn c() { crate::d::d() }"),
        ("d.rs", "use crate::b; fn d() { b::b() }"),
    ];
    assert_eq!(
        circles_of(&circle),
        [
            "a/src/b.rs uses c of a/src/c.rs, a/src/c.rs uses d of a/src/d.rs, a/src/d.rs uses b of a/src/b.rs"
        ]
    );
}

#[test]
fn a_file_may_use_what_encloses_it() {
    let files = [
        ("lib.rs", "mod b; struct Whole { part: b::Part }"),
        ("b.rs", "pub mod c; pub struct Part(c::Deep);"),
        (
            "b/c.rs",
            "pub struct Deep; fn f(w: crate::Whole, p: super::Part) {}",
        ),
    ];
    assert_eq!(circles_of(&files), NONE);
}

#[test]
fn a_circle_may_go_through_a_file_and_its_child() {
    let files = [
        ("lib.rs", "mod api; mod rpc;"),
        (
            "api.rs",
            "mod routes; pub struct Api; fn router() { routes::routes() }",
        ),
        ("api/routes.rs", "pub fn routes() { crate::rpc::rpc() }"),
        ("rpc.rs", "pub fn rpc() { crate::api::Api; }"),
    ];
    assert_eq!(
        circles_of(&files),
        [
            "a/src/api.rs uses routes of a/src/api/routes.rs, a/src/api/routes.rs uses rpc of a/src/rpc.rs, \
          a/src/rpc.rs uses Api of a/src/api.rs"
        ]
    );
}

#[test]
fn to_declare_a_module_or_pass_on_its_names_is_no_use_of_it() {
    let outside = ("c.rs", "pub struct Other; fn f(p: crate::b::Part) {}");
    for parent in [
        "mod d; pub(crate) use d::Part;",
        "mod d; pub(crate) use self::d::{Piece as Part};",
        "mod d; pub use d::*;",
    ] {
        let parent = format!("{parent} fn g(o: crate::c::Other) {{}}");
        let roots = [("lib.rs", "mod b; mod c;"), ("b.rs", &*parent), outside];
        let child = ("b/d.rs", "pub struct Part; pub struct Piece;");
        assert_eq!(
            circles_of(&[&roots[..], &[child]].concat()),
            NONE,
            "{parent}"
        );
        // It is a circle if the child itself uses the other file.
        let child = (
            "b/d.rs",
            "pub struct Part; pub struct Piece(crate::c::Other);",
        );
        assert_eq!(
            circles_of(&[&roots[..], &[child]].concat()).len(),
            1,
            "{parent}"
        );
    }
}

#[test]
fn the_types_of_an_interface_may_name_each_other() {
    let session = (
        "b.rs",
        "use crate::Builder; pub struct Session; fn f() -> Builder {}",
    );
    let builder = (
        "c.rs",
        "use crate::Session; pub struct Builder; fn g() -> Session {}",
    );
    let root = "mod b; mod c; pub use b::Session; pub use c::Builder;";
    assert_eq!(circles_of(&[("lib.rs", root), session, builder]), NONE);
    // Names that are not re-exported with `pub use` do not belong to the interface.
    let root = root.replace("pub use", "pub(crate) use");
    assert_eq!(circles_of(&[("lib.rs", &root), session, builder]).len(), 1);
}

#[test]
fn the_import_of_a_trait_is_a_use() {
    let circle = [
        ("lib.rs", "mod b; mod c;"),
        ("b.rs", "pub trait Count {} pub struct B(crate::c::C);"),
        ("c.rs", "use crate::b::Count as _; pub struct C;"),
    ];
    assert_eq!(circles_of(&circle).len(), 1);
}

#[test]
fn tests_may_use_everything() {
    let files = [
        ("lib.rs", "mod b; mod c; #[cfg(test)] mod tests;"),
        (
            "b.rs",
            "pub struct B; #[cfg(test)] mod tests { use crate::c::C; fn f() -> C {} } fn g() {}",
        ),
        ("c.rs", "pub struct C(crate::b::B);"),
        ("tests.rs", "use crate::b::B;"),
    ];
    assert_eq!(circles_of(&files), NONE);
}

#[test]
fn files_are_where_their_modules_say() {
    let circle = [
        (
            "main.rs",
            "#[path = \"sub/other.rs\"] mod b; mod c { pub mod d; }",
        ),
        ("sub/other.rs", "fn f() { crate::c::d::g() }"),
        ("c/d.rs", "pub fn g() { super::super::b::f() }"),
    ];
    assert_eq!(
        circles_of(&circle),
        ["a/src/c/d.rs uses f of a/src/sub/other.rs, a/src/sub/other.rs uses g of a/src/c/d.rs"]
    );
}

#[test]
fn methods_fields_and_variables_are_not_what_they_are_called_like() {
    let files = [
        ("lib.rs", "mod b; mod c;"),
        ("b.rs", "pub fn read() {} pub fn f() { crate::c::g(); }"),
        (
            "c.rs",
            "use crate::b; pub fn g() { it.read(); let b = B { read: 1 }; b.f(b); } // b::read()",
        ),
    ];
    assert_eq!(circles_of(&files), NONE);
}

#[test]
fn an_imported_name_can_be_a_module_and_a_function() {
    let circle = [
        ("lib.rs", "mod b; mod c; fn c() { b::start() }"),
        ("b.rs", "use super::c; pub fn start() { c::run(); }"),
        ("c.rs", "pub fn run() { crate::b::start() }"),
    ];
    assert_eq!(
        circles_of(&circle),
        ["a/src/b.rs uses run of a/src/c.rs, a/src/c.rs uses start of a/src/b.rs"]
    );
    // Here, the import refers only to the function, which the enclosing file defines.
    let calls = ("b.rs", "use super::c; pub fn start() { c(); }");
    assert_eq!(circles_of(&[circle[0], calls, circle[2]]), NONE);
}

#[test]
fn comments_and_texts_are_no_code() {
    assert_eq!(
        tokens(r##"a /* b /* c */ d */ "e \" f" r#"g " h"# 'i' '\'' '\u{1f600}' &'j k::l // m"##),
        ["a", r#""e \" f""#, r##"r#"g " h"#"##, "&", "k", "::", "l"]
    );
    assert_eq!(
        tokens("b'x' b\"y\" r#type 1.5"),
        ["b\"y\"", "type", "1", ".", "5"]
    );
}

/// Returns the uses that lead upwards in a crate with three layers: `low`, then `left` and `right`, then `high`.
fn upwards(files: &[(&str, &str)]) -> Vec<String> {
    let modules = Modules::read("lib.rs", &files.iter().copied().collect());
    layers::upwards(&modules, &[&["low"], &["left", "right"], &["high"]])
}

#[test]
fn a_layer_uses_only_those_below_it() {
    let root = (
        "lib.rs",
        "mod low; mod left; mod right; mod high; pub use high::High;",
    );
    let low = ("/low.rs", "pub struct Low;");
    let right = ("/right.rs", "pub struct Right(crate::low::Low);");
    let left = ("/left.rs", "mod part;");
    let part = (
        "/left/part.rs",
        "use crate::low::Low; fn f(low: Low) { super::part::f(low) }",
    );
    let high = (
        "/high.rs",
        "pub struct High { l: crate::left::Left, r: crate::right::Right }",
    );
    assert_eq!(upwards(&[root, low, left, part, right, high]), NONE);
    let beside = ("/left/part.rs", "fn f(right: crate::right::Right) {}");
    assert_eq!(
        upwards(&[root, low, left, beside, right, high]),
        ["/left/part.rs uses Right of /right.rs, which is in no lower layer"]
    );
    // This name is one that the crate re-exports publicly.
    let back = ("/low.rs", "pub struct Low(crate::High);");
    assert_eq!(
        upwards(&[root, back, left, right, high]),
        ["/low.rs uses High of /high.rs, which is in no lower layer"]
    );
    let more = ("lib.rs", "mod low; mod other;");
    assert_eq!(
        upwards(&[more, low, ("/other.rs", "")]),
        ["the module other of lib.rs has no layer"]
    );
}
