//! The rules of Elixir: names and types. Each definition is a module in a file of its own.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Value, json};

use xtask::run::Result;

use crate::language::{Language, Server, Source, render};
use crate::model::api::Api;
use crate::model::{Case, Condition, Definition, Field, Form, Known, Model, Shape, Struct, Type};
use crate::server::{Spelling, operations};
use crate::words::{rename, words};

pub(crate) const ELIXIR: Language = Language {
    name: "elixir",
    // The program of the tests is in a library of its own.
    compiler: &["elixir", "-e", "{:module, _} = Code.ensure_loaded(ExUnit)"],
    debian: "elixir",
    npm: None,
    parser: None,
    sources,
    // Nothing is fetched, and nothing is written outside of the package. The example of the README is run as a program.
    compile: "export LC_ALL=C.UTF-8 MIX_ENV=test MIX_BUILD_PATH=built/mix MIX_HOME=$PWD/built/home HEX_OFFLINE=1
mkdir -p built
sed -n '/^```elixir$/,/^```$/{//!p;}' README.md > built/example.exs
mix format
mix format --check-formatted
mix compile --warnings-as-errors
mix test
echo '{\"type\":\"keep_alive\"}' | elixir -pa built/mix/lib/claw_protocol/ebin built/example.exs",
    program: &[
        "env",
        "LC_ALL=C.UTF-8",
        "elixir",
        "-pa",
        "built/mix/lib/claw_protocol/ebin",
        "proof/proof.exs",
    ],
    type_name: str::to_owned,
    server: Some(Server {
        // The server's module reads and writes its types with the protocol's.
        shared: &[],
        without: &["mix.exs", "lib/claw_protocol/version.ex"],
        rename: of_server,
        client,
        program: &[
            "env",
            "LC_ALL=C.UTF-8",
            "elixir",
            "-pa",
            "built/mix/lib/claw_protocol/ebin",
            "use/use.exs",
        ],
    }),
    rules: &[
        include_str!("elixir.rs"),
        RECORD,
        UNION,
        ENUMERATION,
        ALIAS,
        VERSION,
        PROJECT,
        CLIENT,
    ],
};

const RECORD: &str = include_str!("../templates/elixir/record.ex.jinja");
const UNION: &str = include_str!("../templates/elixir/union.ex.jinja");
const ENUMERATION: &str = include_str!("../templates/elixir/enumeration.ex.jinja");
const ALIAS: &str = include_str!("../templates/elixir/alias.ex.jinja");
const VERSION: &str = include_str!("../templates/elixir/version.ex.jinja");
const CLIENT: &str = include_str!("../templates/elixir/client.ex.jinja");
const PROJECT: &str = include_str!("../templates/elixir/mix.exs.jinja");

/// Names that the package's own files declare.
const OWN: [&str; 11] = [
    "Decimal",
    "Enumeration",
    "Json",
    "LineError",
    "Lines",
    "MixProject",
    "Record",
    "Types",
    "Union",
    "Unknown",
    "Version",
];

/// Atoms that have another meaning in Elixir or in this package.
const ATOMS: [&str; 4] = ["nil", "null", "true", "false"];

#[derive(Serialize)]
struct ElixirRecord {
    name: String,
    doc: Vec<String>,
    tags: Vec<ElixirTag>,
    response: Option<String>,
    fields: Vec<ElixirField>,
}

#[derive(Serialize)]
struct ElixirTag {
    key: String,
    literal: String,
}

#[derive(Serialize)]
struct ElixirField {
    name: String,
    key: String,
    doc: Vec<String>,
    ty: String,
    presence: &'static str,
    spec: String,
}

#[derive(Serialize)]
struct ElixirUnion {
    name: String,
    doc: Vec<String>,
    types: BTreeSet<String>,
    cases: Vec<ElixirCase>,
}

#[derive(Serialize)]
struct ElixirCase {
    ty: String,
    shape: Shape,
    conditions: Vec<ElixirCondition>,
    is_internal: bool,
}

#[derive(Serialize)]
struct ElixirCondition {
    key: String,
    literals: String,
    may_be_absent: bool,
}

#[derive(Serialize)]
struct ElixirEnumeration {
    name: String,
    doc: Vec<String>,
    values: Vec<ElixirValue>,
}

#[derive(Serialize)]
struct ElixirValue {
    /// The atom without its colon.
    key: String,
    doc: Vec<String>,
    literal: String,
}

#[derive(Serialize)]
struct ElixirAlias {
    name: String,
    doc: Vec<String>,
    ty: String,
    spec: String,
}

fn sources(model: &Model) -> Result<Vec<Source>> {
    let rules = Rules { model };
    let versions = json!({
        "schema": quoted(&model.schema_version),
        "cli": quoted(&model.cli_version),
    });
    let mut sources = render(
        &[
            ("lib/claw_protocol/version.ex", VERSION),
            ("mix.exs", PROJECT),
        ],
        &versions,
    )?;
    let mut files: BTreeSet<_> = OWN.iter().map(|name| words(name).join("_")).collect();
    for definition in model.definitions.values() {
        let file = words(&definition.name).join("_");
        if !files.insert(file.clone()) {
            return Err(format!("Elixir: {file}.ex of {} occurs twice", definition.name).into());
        }
        let (folder, template, data) = match &definition.form {
            Form::Struct(form) => {
                let record = rules.record(definition, form)?;
                ("records", RECORD, serde_json::to_value(record)?)
            }
            Form::Union(form) => {
                let union = rules.union(definition, &form.cases);
                ("unions", UNION, serde_json::to_value(union)?)
            }
            Form::Enumeration(values) => {
                let enumeration = rules.enumeration(definition, values)?;
                (
                    "enumerations",
                    ENUMERATION,
                    serde_json::to_value(enumeration)?,
                )
            }
            Form::Alias(ty) => {
                let alias = rules.alias(definition, ty);
                ("aliases", ALIAS, serde_json::to_value(alias)?)
            }
        };
        let path = format!("lib/claw_protocol/{folder}/{file}.ex");
        sources.extend(render(&[(&path, template)], &data)?);
    }
    Ok(sources)
}

fn client(api: &Api) -> Result<Vec<Source>> {
    let rules = Rules { model: &api.model };
    let spelling = Spelling {
        ty: &|_, ty| json!({ "ty": rules.ty(ty), "spec": spec(ty) }),
        method: |name| words(name).join("_"),
        parameter: |name| words(name).join("_"),
        doc: &|_, text| rules.doc("  ", text),
    };
    let data = json!({ "operations": operations(api, &spelling) });
    let mut sources = render(&[("lib/claw_server.ex", CLIENT)], &data)?;
    for source in &mut sources {
        source.text = of_server(&source.text);
    }
    Ok(sources)
}

/// Puts the definitions in a path or a text into the server's namespace. What the package's own files declare stays where
/// it is.
fn of_server(text: &str) -> String {
    let text = text.replace("lib/claw_protocol/", "lib/claw_server/");
    let mut parts = text.split("ClawProtocol.");
    let mut changed = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|letter: char| !letter.is_ascii_alphanumeric());
        let name = part.split_at(end.unwrap_or(part.len())).0;
        let is_own = OWN.contains(&name);
        changed += if is_own {
            "ClawProtocol."
        } else {
            "ClawServer."
        };
        changed += part;
    }
    changed
}

struct Rules<'a> {
    model: &'a Model,
}

impl Rules<'_> {
    fn record(&self, definition: &Definition, form: &Struct) -> Result<ElixirRecord> {
        let mut names = BTreeSet::from(["extra".to_owned()]);
        let mut fields = Vec::new();
        for field in &form.fields {
            let mut name = words(&field.key).join("_");
            if name == "extra" {
                name.push('_');
            }
            if !is_identifier(&name) || !names.insert(name.clone()) {
                let of = &definition.name;
                return Err(format!("Elixir: {of}.{name} occurs twice, or is no name").into());
            }
            fields.push(self.field(name, field));
        }
        let tags = form.tags.iter().map(|tag| ElixirTag {
            key: quoted(&tag.key),
            literal: literal(&tag.value),
        });
        Ok(ElixirRecord {
            name: definition.name.clone(),
            doc: self.doc("  ", &definition.doc),
            tags: tags.collect(),
            response: form
                .answer
                .as_ref()
                .map(|answer| self.ty(&Type::Named(answer.clone()))),
            fields,
        })
    }

    fn field(&self, name: String, field: &Field) -> ElixirField {
        let mut doc = field.doc.clone();
        if let Some(since) = &field.since {
            let _ = write!(doc, "\nSince version {since}.");
        }
        if let Type::Later(name) = &field.ty {
            let _ = write!(
                doc,
                "\nIt is meant to be a `{name}`: its `read/1` reads it."
            );
        }
        let mut spec = spec(&field.ty);
        let presence = match (field.is_required, field.is_nullable) {
            (true, false) => "required",
            (true, true) => "required_or_null",
            (false, false) => "optional",
            (false, true) => "optional_or_null",
        };
        if presence == "optional_or_null" {
            spec += " | :null";
        }
        if presence != "required" {
            spec += " | nil";
        }
        ElixirField {
            doc: self.item(&format!(":{name}"), &doc),
            name,
            key: quoted(&field.key),
            ty: self.ty(&field.ty),
            presence,
            spec,
        }
    }

    fn union(&self, definition: &Definition, cases: &[Case]) -> ElixirUnion {
        ElixirUnion {
            name: definition.name.clone(),
            doc: self.doc("  ", &definition.doc),
            types: cases.iter().map(|case| spec(&case.ty)).collect(),
            cases: cases
                .iter()
                .map(|case| ElixirCase {
                    ty: self.ty(&case.ty),
                    shape: case.shape,
                    conditions: case.conditions.iter().map(condition).collect(),
                    is_internal: case.is_internal,
                })
                .collect(),
        }
    }

    fn enumeration(&self, definition: &Definition, values: &[Known]) -> Result<ElixirEnumeration> {
        let mut names = BTreeSet::new();
        let mut found = Vec::new();
        for known in values {
            let mut name = words(&known.value).join("_");
            if ATOMS.contains(&name.as_str()) {
                name.push('_');
            }
            if name.is_empty() || !names.insert(name.clone()) {
                return Err(format!("Elixir: {}: {name} occurs twice", definition.name).into());
            }
            let key = if is_identifier(&name) {
                name
            } else {
                quoted(&name)
            };
            found.push(ElixirValue {
                doc: self.item(&format!(":{key}"), &known.doc),
                key,
                literal: quoted(&known.value),
            });
        }
        Ok(ElixirEnumeration {
            name: definition.name.clone(),
            doc: self.doc("  ", &definition.doc),
            values: found,
        })
    }

    fn alias(&self, definition: &Definition, ty: &Type) -> ElixirAlias {
        ElixirAlias {
            name: definition.name.clone(),
            doc: self.doc("  ", &definition.doc),
            ty: self.ty(ty),
            spec: spec(ty),
        }
    }

    /// Returns an item of a list in Markdown: a name, and its description.
    fn item(&self, name: &str, text: &str) -> Vec<String> {
        let mut lines = self.doc("      ", text);
        let text = if lines.is_empty() {
            String::new()
        } else {
            format!(" - {}", lines.remove(0).trim_start())
        };
        lines.insert(0, format!("    * `{name}`{text}"));
        lines
    }

    /// Returns the lines of a documentation, with an indent. Names of definitions become links.
    fn doc(&self, indent: &str, text: &str) -> Vec<String> {
        let is_definition = |name: &str| self.model.definitions.contains_key(name);
        let linked = rename(text, |name| is_definition(name).then(|| module(name)));
        let linked = linked
            .replace('\\', "\\\\")
            .replace("#{", "\\#{")
            .replace("\"\"\"", "\\\"\\\"\\\"");
        let line = |line: &str| format!("{indent}{line}").trim_end().to_owned();
        linked.lines().map(line).collect()
    }

    /// Returns a type as the package's reader takes it.
    fn ty(&self, of: &Type) -> String {
        match of {
            Type::Json | Type::Later(_) => ":json".to_owned(),
            Type::Text => ":string".to_owned(),
            Type::Flag => ":boolean".to_owned(),
            Type::Integer => ":integer".to_owned(),
            Type::Number => ":number".to_owned(),
            Type::Named(name) => {
                let tag = match self.model.definitions.get(name).map(|found| &found.form) {
                    Some(Form::Alias(alias)) => return self.ty(alias),
                    Some(Form::Enumeration(_)) => "enumeration",
                    Some(Form::Union(_)) => "union",
                    _ => "record",
                };
                format!("{{:{tag}, {}}}", module(name))
            }
            Type::List(item) => format!("{{:list, {}}}", self.ty(item)),
            Type::Dictionary(item) => format!("{{:map, {}}}", self.ty(item)),
            Type::Nullable(inner) => format!("{{:nullable, {}}}", self.ty(inner)),
        }
    }
}

/// Returns a type as a specification.
fn spec(of: &Type) -> String {
    match of {
        Type::Json | Type::Later(_) => "ClawProtocol.Json.t()".to_owned(),
        Type::Text => "String.t()".to_owned(),
        Type::Flag => "boolean()".to_owned(),
        Type::Integer => "integer()".to_owned(),
        Type::Number => "number() | ClawProtocol.Decimal.t()".to_owned(),
        Type::Named(name) => format!("{}.t()", module(name)),
        Type::List(item) => format!("[{}]", spec(item)),
        Type::Dictionary(item) => format!("%{{optional(String.t()) => {}}}", spec(item)),
        Type::Nullable(inner) => format!("{} | nil", spec(inner)),
    }
}
fn module(name: &str) -> String {
    format!("ClawProtocol.{name}")
}

/// Whether a name needs no quotation marks as an atom.
fn is_identifier(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_ascii_lowercase())
        && name
            .chars()
            .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_')
}

/// Returns a text in Elixir's quotation marks.
fn quoted(text: &str) -> String {
    format!(
        "\"{}\"",
        text.escape_default().to_string().replace("#{", "\\#{")
    )
}

/// Returns a text or a boolean.
fn literal(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), quoted)
}

fn condition(condition: &Condition) -> ElixirCondition {
    let literals: Vec<_> = condition.values.iter().map(literal).collect();
    ElixirCondition {
        key: quoted(&condition.key),
        literals: literals.join(", "),
        may_be_absent: condition.may_be_absent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_definitions_move_to_the_server() {
        let text = "ClawProtocol.UnknownElement, ClawProtocol.Unknown.t(), ClawProtocol.Usage";
        let expected = "ClawServer.UnknownElement, ClawProtocol.Unknown.t(), ClawServer.Usage";
        assert_eq!(of_server(text), expected);
    }
}
