//! The rules of Go: names and types.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::json;

use xtask::run::Result;

use crate::language::{Language, Server, Source, render};
use crate::model::api::Api;
use crate::model::{Condition, Definition, Form, Model, Shape, Type};
use crate::server::{Spelling, operations};
use crate::words::{capital, rename, words};

pub(crate) const GO: Language = Language {
    name: "go",
    compiler: &["go", "version"],
    debian: "golang-go",
    npm: None,
    parser: None,
    sources,
    // The example of the README is compiled as a program.
    compile: "export GOFLAGS=-mod=mod GOPROXY=off CGO_ENABLED=0
mkdir -p example built
sed -n '/^```go$/,/^```$/{//!p;}' README.md > example/main.go
for at in . server; do
    gofmt -w $at/structs.go $at/unions.go $at/enumerations.go $at/version.go
done
gofmt -w server/client.go
test -z \"$(gofmt -l .)\"
go vet ./...
go test ./...
go build -o built/use ./use
go build -o built/proof ./proof
go build -o built/example ./example",
    program: &["built/proof"],
    type_name,
    server: Some(Server {
        shared: &["codec.go", "json.go"],
        without: &[],
        rename: |text| match text.strip_suffix(".go") {
            Some(_) => format!("server/{text}"),
            None => text.replacen("package claw\n", "package server\n", 1),
        },
        client,
        program: &["built/use"],
    }),
    rules: &[
        include_str!("go.rs"),
        STRUCTS,
        UNIONS,
        ENUMERATIONS,
        MODULE,
        CLIENT,
    ],
};

const STRUCTS: &str = include_str!("../templates/go/structs.go.jinja");
const UNIONS: &str = include_str!("../templates/go/unions.go.jinja");
const ENUMERATIONS: &str = include_str!("../templates/go/enumerations.go.jinja");
const CLIENT: &str = include_str!("../templates/go/client.go.jinja");
const MODULE: &str = include_str!("../templates/go/version.go.jinja");

/// Words that Go writes in capitals.
const INITIALISMS: [&str; 22] = [
    "ai", "api", "cpu", "html", "http", "id", "ids", "ip", "json", "mcp", "os", "pr", "sdk", "sse",
    "ttl", "ui", "uri", "url", "uuid", "uuids", "vcs", "xml",
];

/// Names that the package's own files declare.
const OWN: [&str; 8] = [
    "Unknown",
    "Extra",
    "Nullable",
    "LineError",
    "Reader",
    "Number",
    "Ptr",
    "Version",
];

#[derive(Serialize)]
struct GoStruct {
    name: String,
    doc: Vec<String>,
    tags: Vec<GoTag>,
    fields: Vec<GoField>,
    unions: Vec<String>,
    /// The type of the response, if it is a control request, and whether it is a struct.
    answer: Option<(String, bool)>,
}

#[derive(Serialize)]
struct GoTag {
    key: String,
    /// The value as JSON in Go's quotation marks.
    literal: String,
}

#[derive(Serialize)]
struct GoField {
    name: String,
    doc: Vec<String>,
    ty: String,
    tag: String,
}

#[derive(Serialize)]
struct GoUnion {
    name: String,
    doc: Vec<String>,
    /// The names of the cases' types, for the documentation.
    types: Vec<String>,
    cases: Vec<GoCase>,
    /// The types that exist for this union only: a name, a type and the unions of which they are cases.
    inline: Vec<GoInline>,
}

#[derive(Serialize)]
struct GoCase {
    /// A value of the type, of which Go takes the type.
    of: String,
    shape: Shape,
    conditions: Vec<GoCondition>,
    is_internal: bool,
}

#[derive(Serialize)]
struct GoCondition {
    key: String,
    literals: Vec<String>,
    may_be_absent: bool,
}

#[derive(Serialize)]
struct GoInline {
    name: String,
    doc: String,
    ty: String,
    unions: Vec<String>,
}

#[derive(Serialize)]
struct GoText {
    name: String,
    doc: Vec<String>,
    ty: String,
    values: Vec<GoValue>,
    unions: Vec<String>,
}

#[derive(Serialize)]
struct GoValue {
    name: String,
    doc: Vec<String>,
    literal: String,
}

fn sources(model: &Model) -> Result<Vec<Source>> {
    let rules = Rules {
        model,
        memberships: model.memberships(),
    };
    let mut names = Names::default();
    for name in OWN {
        names.add(name, "the package's own")?;
    }
    let (mut structs, mut unions, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    for definition in model.definitions.values() {
        names.add(&type_name(&definition.name), &definition.name)?;
        match &definition.form {
            Form::Struct(_) => structs.push(rules.structure(definition)?),
            Form::Union(_) => unions.push(rules.union(definition)),
            Form::Enumeration(_) | Form::Alias(_) => texts.push(rules.text(definition)),
        }
    }
    for (inline, union) in unions
        .iter()
        .flat_map(|u| u.inline.iter().map(move |i| (i, u)))
    {
        names.add(&inline.name, &union.name)?;
    }
    for (value, text) in texts
        .iter()
        .flat_map(|t| t.values.iter().map(move |v| (v, t)))
    {
        names.add(&value.name, &text.name)?;
    }
    render(
        &[
            ("structs.go", STRUCTS),
            ("unions.go", UNIONS),
            ("enumerations.go", ENUMERATIONS),
            ("version.go", MODULE),
        ],
        &json!({
            "structs": structs,
            "unions": unions,
            "texts": texts,
            "schema": model.schema_version,
            "cli": model.cli_version,
        }),
    )
}

fn client(api: &Api) -> Result<Vec<Source>> {
    let ty = |model: &Model, ty: &Type| match ty {
        Type::Named(name) if model.structure(name).is_some() => json!(format!("*{}", go(ty))),
        ty => json!(go(ty)),
    };
    let spelling = Spelling {
        ty: &ty,
        method: |name| exported(&words(name)),
        parameter: |name| {
            let words = words(name);
            let (first, others) = words.split_at(1);
            first.concat() + &exported(others)
        },
        doc: &doc,
    };
    let operations = operations(api, &spelling);
    render(
        &[("server/client.go", CLIENT)],
        &json!({ "operations": operations }),
    )
}

/// The names of the package, each with the definition that has it.
#[derive(Default)]
struct Names(BTreeMap<String, String>);

impl Names {
    /// Adds a name.
    ///
    /// # Errors
    /// Fails if another definition has it.
    fn add(&mut self, name: &str, of: &str) -> Result {
        match self.0.insert(name.to_owned(), of.to_owned()) {
            None => Ok(()),
            Some(other) => Err(format!("Go: {name} is the name of {of} and of {other}").into()),
        }
    }
}

/// Returns the exported name for words.
fn exported(words: &[String]) -> String {
    let word = |word: &String| match word.as_str() {
        "ids" => "IDs".to_owned(),
        "uuids" => "UUIDs".to_owned(),
        initialism if INITIALISMS.contains(&initialism) => word.to_uppercase(),
        _ => capital(word),
    };
    words.iter().map(word).collect()
}

fn type_name(definition: &str) -> String {
    exported(&words(definition))
}

/// Returns the lines of a comment. The names of types in it are those of Go.
fn doc(model: &Model, text: &str) -> Vec<String> {
    let renamed = rename(text, |name| {
        model
            .definitions
            .contains_key(name)
            .then(|| type_name(name))
    });
    renamed.lines().map(str::to_owned).collect()
}

/// Returns a text in Go's quotation marks.
fn quoted(text: &str) -> String {
    format!("{text:?}")
}

struct Rules<'a> {
    model: &'a Model,
    memberships: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl Rules<'_> {
    /// Returns the unions of which a definition is a case.
    fn unions(&self, name: &str) -> Vec<String> {
        let of = self.memberships.get(name).into_iter().flatten();
        of.map(|union| type_name(union)).collect()
    }

    fn structure(&self, definition: &Definition) -> Result<GoStruct> {
        let Form::Struct(form) = &definition.form else {
            return Err(format!("{} is no struct", definition.name).into());
        };
        let mut names = Names::default();
        let mut fields = Vec::new();
        for field in &form.fields {
            let name = exported(&words(&field.key));
            names.add(&name, &format!("{}.{}", definition.name, field.key))?;
            let mut doc = doc(self.model, &field.doc);
            if let Some(since) = &field.since {
                doc.push(format!("Since version {since}."));
            }
            if let Type::Later(name) = &field.ty {
                doc.push(format!("It is meant to be a [{}].", type_name(name)));
            }
            let ty = go(&field.ty);
            let optional = if field.is_required { "" } else { ",omitempty" };
            let mut tag = format!("json:\"{}{optional}\"", field.key);
            let can_be_nil = self.can_be_nil(&field.ty);
            let ty = match (field.is_required, field.is_nullable) {
                (false, true) => format!("Nullable[{ty}]"),
                (true, true) => {
                    tag += " claw:\"null\"";
                    if can_be_nil { ty } else { format!("*{ty}") }
                }
                (false, false) if !can_be_nil => format!("*{ty}"),
                _ => ty,
            };
            fields.push(GoField { name, doc, ty, tag });
        }
        for own in ["Extra", "MarshalJSON", "UnmarshalJSON", "ReadResponse"] {
            names.add(own, "the package's own")?;
        }
        let tag = |tag: &crate::model::Tag| GoTag {
            key: quoted(&tag.key),
            literal: quoted(&tag.value.to_string()),
        };
        Ok(GoStruct {
            name: type_name(&definition.name),
            doc: doc(self.model, &definition.doc),
            tags: form.tags.iter().map(tag).collect(),
            fields,
            unions: self.unions(&definition.name),
            answer: form.answer.as_ref().map(|answer| {
                let is_struct = self.model.structure(answer).is_some();
                (type_name(answer), is_struct)
            }),
        })
    }

    fn union(&self, definition: &Definition) -> GoUnion {
        let name = type_name(&definition.name);
        let Some(form) = self.model.union(&definition.name) else {
            unreachable!("the caller has a union");
        };
        let (mut types, mut cases, mut inline) = (Vec::new(), Vec::new(), Vec::new());
        for case in &form.cases {
            let (ty, of) = match &case.ty {
                Type::Named(inner) if self.model.union(inner).is_some() => {
                    let inner = type_name(inner);
                    (inner.clone(), format!("new({inner})"))
                }
                Type::Named(inner) if self.model.structure(inner).is_some() => {
                    let inner = type_name(inner);
                    (format!("*{inner}"), format!("&{inner}{{}}"))
                }
                Type::Named(inner) => {
                    let inner = type_name(inner);
                    (inner.clone(), format!("*new({inner})"))
                }
                other => {
                    let own = format!("{name}{}", shape_name(case.shape));
                    let of = format!("*new({own})");
                    let mut unions = vec![name.clone()];
                    // A case of a union that is a case of another union is a case of both.
                    unions.extend(self.unions(&definition.name));
                    inline.push(GoInline {
                        name: own.clone(),
                        doc: format!(
                            "{own} is a [{name}] that is a JSON {}.",
                            shape_word(case.shape)
                        ),
                        ty: go(other),
                        unions,
                    });
                    (own, of)
                }
            };
            types.push(ty);
            cases.push(GoCase {
                of,
                shape: case.shape,
                conditions: case.conditions.iter().map(condition).collect(),
                is_internal: case.is_internal,
            });
        }
        GoUnion {
            doc: doc(self.model, &definition.doc),
            name,
            types,
            cases,
            inline,
        }
    }

    fn text(&self, definition: &Definition) -> GoText {
        let name = type_name(&definition.name);
        let (ty, values) = match &definition.form {
            Form::Enumeration(values) => ("string".to_owned(), values.as_slice()),
            Form::Alias(ty) => (go(ty), [].as_slice()),
            Form::Struct(_) | Form::Union(_) => unreachable!("the caller has a text or an alias"),
        };
        let value = |known: &crate::model::Known| GoValue {
            name: format!("{name}{}", exported(&words(&known.value))),
            doc: doc(self.model, &known.doc),
            literal: quoted(&known.value),
        };
        GoText {
            doc: doc(self.model, &definition.doc),
            ty,
            values: values.iter().map(value).collect(),
            unions: self.unions(&definition.name),
            name,
        }
    }

    /// Whether a Go type has a value that stands for an absent or a null field.
    fn can_be_nil(&self, ty: &Type) -> bool {
        match ty {
            Type::Json | Type::Later(_) | Type::List(_) | Type::Dictionary(_) => true,
            Type::Named(name) => match self.model.definitions.get(name).map(|found| &found.form) {
                Some(Form::Union(_)) => true,
                Some(Form::Alias(ty)) => self.can_be_nil(ty),
                _ => false,
            },
            _ => false,
        }
    }
}

/// Returns the Go type of a value that is there and not null.
fn go(ty: &Type) -> String {
    match ty {
        Type::Json | Type::Later(_) => "json.RawMessage".to_owned(),
        Type::Text => "string".to_owned(),
        Type::Flag => "bool".to_owned(),
        Type::Integer => "int64".to_owned(),
        Type::Number => "json.Number".to_owned(),
        Type::Named(name) => type_name(name),
        Type::List(item) => format!("[]{}", go(item)),
        Type::Dictionary(item) => format!("map[string]{}", go(item)),
        Type::Nullable(inner) => format!("*{}", go(inner)),
    }
}

fn condition(condition: &Condition) -> GoCondition {
    GoCondition {
        key: quoted(&condition.key),
        literals: condition
            .values
            .iter()
            .map(|value| quoted(&value.to_string()))
            .collect(),
        may_be_absent: condition.may_be_absent,
    }
}

fn shape_name(shape: Shape) -> &'static str {
    match shape {
        Shape::Object => "Map",
        Shape::Array => "List",
        Shape::String => "Text",
        Shape::Number => "Number",
        Shape::Boolean => "Bool",
    }
}

fn shape_word(shape: Shape) -> &'static str {
    match shape {
        Shape::Object => "object",
        Shape::Array => "array",
        Shape::String => "string",
        Shape::Number => "number",
        Shape::Boolean => "boolean",
    }
}
