//! The rules of Swift: names and types. Each definition has a file of its own, as is usual in Swift.

use serde_json::{Value, json};

use xtask::run::Result;

use crate::language::{Language, Parser, Server, Source, render};
use crate::model::api::Api;
use crate::model::{Case, Condition, Definition, Form, Known, Model, Shape, Struct, Tag, Type};
use crate::server::{Spelling, operations};
use crate::words::{camel, comment, split};

pub(crate) const SWIFT: Language = Language {
    name: "swift",
    // Another program has the name `swift` too.
    compiler: &["swiftc", "--version"],
    debian: "swiftlang",
    npm: None,
    parser: Some(Parser {
        packages: &["tree-sitter==0.26.1", "tree-sitter-swift==0.7.4"],
        program: include_str!("swift.py"),
    }),
    sources,
    // The example of the README is a program of the package.
    compile: "awk '/^```$/ { on = 0 } on; /^```swift$/ { on = 1 }' README.md | cmp - Sources/Example/main.swift
swift build --scratch-path built --configuration release
echo '{\"type\":\"keep_alive\"}' | built/release/Example
swift test --scratch-path built",
    program: &["built/release/Proof"],
    type_name,
    server: Some(Server {
        shared: &[
            "Sources/ClawProtocol/JSON.swift",
            "Sources/ClawProtocol/LineError.swift",
            "Sources/ClawProtocol/Parser.swift",
            "Sources/ClawProtocol/Values.swift",
        ],
        without: &[],
        rename: |text| text.replace("Sources/ClawProtocol/", "Sources/ClawServer/"),
        client,
        program: &["built/release/Use"],
    }),
    rules: &[
        include_str!("swift.rs"),
        include_str!("swift.py"),
        STRUCT,
        UNION,
        TEXT,
        VERSION,
        CLIENT,
    ],
};

const STRUCT: &str = include_str!("../templates/swift/struct.swift.jinja");
const UNION: &str = include_str!("../templates/swift/union.swift.jinja");
const TEXT: &str = include_str!("../templates/swift/text.swift.jinja");
const VERSION: &str = include_str!("../templates/swift/version.swift.jinja");

const CLIENT: &str = include_str!("../templates/swift/client.swift.jinja");

const FOLDER: &str = "Sources/ClawProtocol";

/// Names that the package's own files declare or have, and those of Swift that a type of the package would hide.
const OWN: &str = "Any AnyObject Array Ascii Bool Build Call Character ClawProtocol ClawVersion Client CommandLine Decodable Dictionary \
    Double Encodable Equatable Error EventStream Fields Float Hashable Hasher Identifiable Int Int32 Int64 Iterator JSON JSONConvertible \
    JSONNumber JSONObject JSONText Line LineError LineReader Members Mirror Never Optional Parser Presence Protocol \
    RawRepresentable ResponseError Result Self Sendable Sequence Set Socket StreamError String Substring Task Type UInt16 UInt32 UInt8 Unicode \
    Values Version Void";

/// Words that are names in Swift only between backticks.
const KEYWORDS: &str = "actor any as associatedtype async await break case catch class continue default defer deinit do else \
    enum extension fallthrough false fileprivate for func guard if import in init inout internal is let nil operator \
    private protocol public repeat rethrows return self some static struct subscript super switch throw throws true try \
    typealias var where while";

/// The members of every struct of the package.
const METHODS: &str = "extra jsonValue readResponse hashValue";

fn sources(model: &Model) -> Result<Vec<Source>> {
    // Names that differ only in capitals have the same file on some systems, and a module has no two files of one name.
    let mut names = split(&OWN.to_lowercase());
    let mut all = Vec::new();
    for definition in model.definitions.values() {
        let name = &type_name(&definition.name);
        if !names.insert(name.to_lowercase()) {
            return Err(format!("Swift: the name {name} occurs twice").into());
        }
        if let Some(path) = cycle(model, &definition.name) {
            return Err(format!("Swift: a struct contains itself: {path}").into());
        }
        let (template, data) = match &definition.form {
            Form::Struct(form) => (STRUCT, structure(definition, form)?),
            Form::Union(form) => (UNION, union(definition, &form.cases)?),
            Form::Enumeration(values) => (TEXT, text(definition, &Type::Text, values)?),
            Form::Alias(ty) => (TEXT, text(definition, ty, &[])?),
        };
        let path = format!("{FOLDER}/{name}.swift");
        all.extend(render(&[(&path, template)], &data)?);
    }
    let version = json!({ "schema": model.schema_version, "cli": model.cli_version });
    let path = format!("{FOLDER}/Version.swift");
    all.extend(render(&[(&path, VERSION)], &version)?);
    Ok(all)
}

fn client(api: &Api) -> Result<Vec<Source>> {
    let text = |ty: &Type| match ty {
        Type::Text => ".string",
        Type::Named(_) => ".rawValue.string",
        _ => ".description",
    };
    let spelling = Spelling {
        ty: &|_, ty| json!({ "name": swift(ty), "text": text(ty) }),
        method: str::to_owned,
        parameter: name_of,
        doc: &|_, text| comment(text),
    };
    let data = json!({ "operations": operations(api, &spelling) });
    render(&[("Sources/ClawServer/Operations.swift", CLIENT)], &data)
}

/// Returns the name of the type of a definition. These two would hide types of Swift.
fn type_name(definition: &str) -> String {
    match definition {
        "Error" | "Task" => format!("{definition}Value"),
        other => other.to_owned(),
    }
}

/// Returns the path on which a struct contains itself, which Swift cannot compile. Lists and dictionaries do not contain
/// their items, and a union does not contain its value, because its enum is indirect.
fn cycle(model: &Model, start: &str) -> Option<String> {
    let mut found: Vec<(&str, String)> = vec![(start, start.to_owned())];
    let mut at = 0;
    while let Some((name, path)) = found.get(at).cloned() {
        at += 1;
        for inner in contained(model, name) {
            let path = format!("{path} > {inner}");
            if inner == start {
                return Some(path);
            }
            if found.iter().all(|(name, _)| *name != inner) {
                found.push((inner, path));
            }
        }
    }
    None
}

/// Returns the definitions whose values are stored in a value of a definition.
fn contained<'a>(model: &'a Model, name: &str) -> Vec<&'a str> {
    fn inner(ty: &Type) -> Option<&str> {
        match ty {
            Type::Named(name) => Some(name),
            Type::Nullable(ty) => inner(ty),
            _ => None,
        }
    }
    match model.definitions.get(name).map(|found| &found.form) {
        Some(Form::Struct(form)) => form.fields.iter().filter_map(|f| inner(&f.ty)).collect(),
        Some(Form::Alias(ty)) => inner(ty).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn structure(definition: &Definition, form: &Struct) -> Result<Value> {
    let mut names = split(METHODS);
    let mut fields = Vec::new();
    for field in &form.fields {
        let name = name_of(&field.key);
        if !names.insert(name.clone()) {
            return Err(format!("Swift: {}.{name} occurs twice", definition.name).into());
        }
        let mut doc = comment(&field.doc);
        if let Some(since) = &field.since {
            doc.push(format!(" Since version {since}."));
        }
        if let Type::Later(name) = &field.ty {
            doc.push(format!(
                " It is meant to be a `{name}`, which `{name}(jsonValue:)` reads."
            ));
        }
        let ty = swift(&field.ty);
        let (how, ty, default) = match (field.is_required, field.is_nullable) {
            (true, false) => ("required", ty, String::new()),
            (true, true) => ("nullable", format!("{ty}?"), String::new()),
            (false, false) => ("optional", format!("{ty}?"), " = nil".to_owned()),
            (false, true) => {
                let ty = format!("Presence<{ty}>");
                let default = format!(" = {ty}.absent");
                ("presence", ty, default)
            }
        };
        fields.push(json!({
            "name": name, "key": literal(&field.key), "doc": doc, "type": ty, "how": how, "default": default,
        }));
    }
    let tag = |tag: &Tag| json!({ "key": literal(&tag.key), "json": constant(&tag.value) });
    Ok(json!({
        "name": type_name(&definition.name),
        "doc": comment(&definition.doc),
        "tags": form.tags.iter().map(tag).collect::<Vec<_>>(),
        "fields": fields,
        "answer": form.answer,
    }))
}

fn union(definition: &Definition, of: &[Case]) -> Result<Value> {
    let name = type_name(&definition.name);
    let mut names = split("unknown jsonValue");
    let (mut cases, mut shapes, mut expected) = (Vec::new(), Vec::new(), Vec::new());
    for case in of {
        let (property, plain, word) = shape(case.shape);
        let own = match &case.ty {
            Type::Named(inner) => name_of(inner),
            _ => plain.to_owned(),
        };
        if !names.insert(own.clone()) {
            return Err(format!("Swift: {name}.{own} occurs twice").into());
        }
        let conditions: Vec<_> = case.conditions.iter().map(condition).collect();
        let is_shape = format!("jsonValue.{property}");
        if !expected.contains(&word) {
            expected.push(word);
            shapes.push(is_shape.clone());
        }
        if conditions.is_empty() {
            // No value of this shape is unknown.
            shapes.retain(|other| *other != is_shape);
        }
        cases.push(json!({
            "name": own,
            "type": swift(&case.ty),
            "is_internal": case.is_internal,
            "condition": if conditions.is_empty() { is_shape } else { conditions.join(" && ") },
        }));
    }
    Ok(json!({
        "name": name,
        "doc": comment(&definition.doc),
        "cases": cases,
        "shapes": shapes,
        "expected": expected,
    }))
}

fn text(definition: &Definition, ty: &Type, values: &[Known]) -> Result<Value> {
    let mut names = split("knownValues");
    let mut found = Vec::new();
    for known in values {
        let name = name_of(&known.value);
        if !names.insert(name.clone()) {
            return Err(format!("Swift: {}.{name} occurs twice", definition.name).into());
        }
        found.push(json!({
            "name": name, "doc": comment(&known.doc), "literal": literal(&known.value),
        }));
    }
    Ok(json!({
        "name": type_name(&definition.name),
        "doc": comment(&definition.doc),
        "type": swift(ty),
        "values": found,
    }))
}

/// Returns the name of a property, a case or a constant.
fn name_of(key: &str) -> String {
    let mut name = camel(key);
    // These names have a meaning of their own after a dot, and the second hides that of an absent value.
    if ["init", "none", "self"].contains(&&*name) {
        name.push('_');
    }
    if split(KEYWORDS).contains(&name) {
        name = format!("`{name}`");
    }
    name
}

/// Returns a text in quotation marks.
fn literal(text: &str) -> String {
    let mut literal = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => literal.extend(['\\', letter]),
            letter if letter.is_control() => {
                literal.extend(format!("\\u{{{:x}}}", u32::from(letter)).chars());
            }
            letter => literal.push(letter),
        }
    }
    literal + "\""
}

/// Returns the JSON of a text or a boolean.
fn constant(value: &Value) -> String {
    match value {
        Value::String(text) => format!("JSON.string({})", literal(text)),
        other => format!("JSON.boolean({other})"),
    }
}

/// Returns the Swift type of a value that is there and not null.
fn swift(ty: &Type) -> String {
    match ty {
        Type::Json | Type::Later(_) => "JSON".to_owned(),
        Type::Text => "JSONText".to_owned(),
        Type::Flag => "Bool".to_owned(),
        Type::Integer => "Int64".to_owned(),
        Type::Number => "JSONNumber".to_owned(),
        Type::Named(name) => type_name(name),
        Type::List(item) => format!("[{}]", swift(item)),
        Type::Dictionary(item) => format!("[JSONText: {}]", swift(item)),
        Type::Nullable(inner) => format!("{}?", swift(inner)),
    }
}

fn condition(condition: &Condition) -> String {
    let values: Vec<_> = condition.values.iter().map(constant).collect();
    let function = if condition.may_be_absent {
        "mayHave"
    } else {
        "has"
    };
    let key = literal(&condition.key);
    format!("jsonValue.{function}({key}, [{}])", values.join(", "))
}

/// Returns the property that tells whether a JSON value is of a kind, the name of a case of this kind, and the kind in
/// words.
fn shape(shape: Shape) -> (&'static str, &'static str, &'static str) {
    match shape {
        Shape::Object => ("isObject", "object", "an object"),
        Shape::Array => ("isArray", "list", "an array"),
        Shape::String => ("isString", "text", "a string"),
        Shape::Number => ("isNumber", "number", "a number"),
        Shape::Boolean => ("isBoolean", "boolean", "a boolean"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::model::Field;

    #[test]
    fn names_are_swifts() {
        for (key, name) in [
            ("session_id", "sessionId"),
            ("AssistantMessage", "assistantMessage"),
            ("default", "`default`"),
            ("init", "init_"),
            ("5m", "of5m"),
            ("-A", "flagA"),
        ] {
            assert_eq!(name_of(key), name);
        }
    }

    #[test]
    fn texts_have_no_interpolations_in_them() {
        assert_eq!(literal("$a \"\\(b)\n"), r#""$a \"\\(b)\u{a}""#);
    }

    /// Returns a struct with one field.
    fn with_field(name: &str, ty: Type) -> (String, Definition) {
        let field = Field {
            key: "a".to_owned(),
            doc: String::new(),
            ty,
            is_required: false,
            is_nullable: true,
            since: None,
        };
        let form = Struct {
            fields: vec![field],
            ..Struct::default()
        };
        let definition = Definition {
            name: name.to_owned(),
            doc: String::new(),
            form: Form::Struct(form),
        };
        (name.to_owned(), definition)
    }

    #[test]
    fn a_struct_that_contains_itself_is_found() {
        let named = |name: &str| Type::Named(name.to_owned());
        let model = |inner: Type| Model {
            schema_version: String::new(),
            cli_version: String::new(),
            definitions: BTreeMap::from([
                with_field("Outer", named("Inner")),
                with_field("Inner", inner),
            ]),
            kinds: Vec::new(),
        };
        let contains = cycle(&model(named("Outer")), "Outer");
        assert_eq!(contains.as_deref(), Some("Outer > Inner > Outer"));
        let list = Type::List(Box::new(named("Outer")));
        assert_eq!(cycle(&model(list), "Outer"), None);
    }
}
