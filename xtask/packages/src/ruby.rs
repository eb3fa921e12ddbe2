//! The rules of Ruby: names and types.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::json;

use xtask::run::Result;

use crate::language::{Language, Server, Source, render};
use crate::model::api::Api;
use crate::model::{Case, Condition, Definition, Form, Known, Model, Shape, Type};
use crate::server::{Spelling, operations};
use crate::words::{rename, words};

pub(crate) const RUBY: Language = Language {
    name: "ruby",
    compiler: &["ruby", "--version"],
    debian: "ruby ruby-minitest",
    npm: None,
    parser: None,
    sources,
    // The example of the README is run as a program.
    compile: "mkdir -p built
sed -n '/^```ruby$/,/^```$/{//!p;}' README.md > built/example.rb
echo '{\"type\":\"keep_alive\"}' | ruby -W2 -Ilib built/example.rb
ruby -W2 -Ilib test/claw_protocol_test.rb
gem build --quiet --strict --output built/claw_protocol.gem claw_protocol.gemspec",
    program: &["ruby", "-Ilib", "-rstringio", "proof/proof.rb"],
    type_name: str::to_owned,
    server: Some(Server {
        shared: &["lib/claw_protocol/json.rb", "lib/claw_protocol/record.rb"],
        without: &[],
        rename: |text| {
            text.replace("lib/claw_protocol/", "lib/claw_server/")
                .replace("ClawProtocol", "ClawServer")
        },
        client,
        program: &["ruby", "-W2", "-Ilib", "use/use.rb"],
    }),
    rules: &[
        include_str!("ruby.rs"),
        STRUCTS,
        UNIONS,
        ENUMERATIONS,
        MODULE,
        CLIENT,
    ],
};

const STRUCTS: &str = include_str!("../templates/ruby/structs.rb.jinja");
const UNIONS: &str = include_str!("../templates/ruby/unions.rb.jinja");
const ENUMERATIONS: &str = include_str!("../templates/ruby/enumerations.rb.jinja");
const CLIENT: &str = include_str!("../templates/ruby/client.rb.jinja");
const MODULE: &str = include_str!("../templates/ruby/version.rb.jinja");

/// Names that the package's own files declare, and those of Ruby that they use.
const OWN: [&str; 23] = [
    "Array",
    "Case",
    "Client",
    "Decimal",
    "Events",
    "Field",
    "Float",
    "Hash",
    "Integer",
    "LineError",
    "NULL",
    "Object",
    "Parser",
    "Reader",
    "Record",
    "ResponseError",
    "String",
    "Struct",
    "Symbol",
    "Types",
    "Union",
    "Unknown",
    "Writer",
];

/// Methods that every object or every record has.
const METHODS: [&str; 20] = [
    "class",
    "clone",
    "dup",
    "display",
    "extend",
    "extra",
    "freeze",
    "hash",
    "inspect",
    "itself",
    "method",
    "methods",
    "object_id",
    "read_response",
    "send",
    "tap",
    "then",
    "to_h",
    "to_s",
    "write",
];

#[derive(Serialize)]
struct RubyStruct {
    name: String,
    doc: Vec<String>,
    unions: Vec<String>,
    tags: Vec<RubyTag>,
    answer: Option<String>,
    fields: Vec<RubyField>,
}

#[derive(Serialize)]
struct RubyTag {
    key: String,
    literal: String,
}

#[derive(Serialize)]
struct RubyField {
    name: String,
    key: String,
    doc: Vec<String>,
    doc_type: String,
    ty: String,
    required: bool,
    nullable: bool,
}

#[derive(Serialize)]
struct RubyUnion {
    name: String,
    doc: Vec<String>,
    types: String,
    cases: Vec<RubyCase>,
}

#[derive(Serialize)]
struct RubyCase {
    ty: String,
    shape: Shape,
    conditions: Vec<RubyCondition>,
    internal: bool,
}

#[derive(Serialize)]
struct RubyCondition {
    key: String,
    literals: String,
    optional: &'static str,
}

#[derive(Serialize)]
struct RubyText {
    name: String,
    doc: Vec<String>,
    ty: String,
    values: Vec<RubyValue>,
}

#[derive(Serialize)]
struct RubyValue {
    name: String,
    doc: Vec<String>,
    literal: String,
}

fn sources(model: &Model) -> Result<Vec<Source>> {
    if let Some(name) = OWN
        .iter()
        .find(|name| model.definitions.contains_key(**name))
    {
        return Err(format!("Ruby: the definition {name} has a name of the package").into());
    }
    let rules = Rules {
        model,
        memberships: &model.memberships(),
    };
    let (mut structs, mut unions, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    for definition in model.definitions.values() {
        match &definition.form {
            Form::Struct(form) => structs.push(rules.structure(definition, form)?),
            Form::Union(form) => unions.push(rules.union(definition, &form.cases)),
            Form::Enumeration(values) => texts.push(rules.text(definition, ":string", values)?),
            Form::Alias(alias) => texts.push(rules.text(definition, &ty(alias), &[])?),
        }
    }
    render(
        &[
            ("lib/claw_protocol/structs.rb", STRUCTS),
            ("lib/claw_protocol/unions.rb", UNIONS),
            ("lib/claw_protocol/enumerations.rb", ENUMERATIONS),
            ("lib/claw_protocol/version.rb", MODULE),
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
    let rules = Rules {
        model: &api.model,
        memberships: &api.model.memberships(),
    };
    let spelling = Spelling {
        ty: &|_, of| json!({ "ty": ty(of), "doc": rules.doc_type(of) }),
        method: |name| words(name).join("_"),
        parameter: |name| match words(name).join("_") {
            // A parameter cannot be read by the name of a keyword.
            keyword if ["end", "in", "next", "until"].contains(&&*keyword) => keyword + "_",
            name => name,
        },
        doc: &|_, text| rules.doc(text),
    };
    let data = json!({ "operations": operations(api, &spelling) });
    render(&[("lib/claw_server/operations.rb", CLIENT)], &data)
}

struct Rules<'a> {
    model: &'a Model,
    memberships: &'a std::collections::BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl Rules<'_> {
    fn structure(
        &self,
        definition: &Definition,
        form: &crate::model::Struct,
    ) -> Result<RubyStruct> {
        let mut names = BTreeSet::new();
        let mut fields = Vec::new();
        for field in &form.fields {
            let mut name = words(&field.key).join("_");
            if METHODS.contains(&name.as_str()) {
                name.push('_');
            }
            if !names.insert(name.clone()) {
                return Err(format!("Ruby: {}.{name} occurs twice", definition.name).into());
            }
            let mut doc = self.doc(&field.doc);
            if let Some(since) = &field.since {
                doc.push(format!(" Since version {since}."));
            }
            if let Type::Later(name) = &field.ty {
                doc.push(format!(
                    " It is meant to be a {{{name}}}: `{name}.read` reads it."
                ));
            }
            let mut doc_type = self.doc_type(&field.ty);
            if field.is_nullable || !field.is_required {
                doc_type += ", nil";
            }
            fields.push(RubyField {
                name,
                key: field.key.clone(),
                doc,
                doc_type,
                ty: ty(&field.ty),
                required: field.is_required,
                nullable: field.is_nullable,
            });
        }
        let tags = form.tags.iter().map(|tag| RubyTag {
            key: tag.key.clone(),
            literal: tag.value.to_string(),
        });
        let unions = self
            .memberships
            .get(&*definition.name)
            .into_iter()
            .flatten();
        Ok(RubyStruct {
            name: definition.name.clone(),
            doc: self.doc(&definition.doc),
            unions: unions.map(|union| (*union).to_owned()).collect(),
            tags: tags.collect(),
            answer: form.answer.clone(),
            fields,
        })
    }

    fn union(&self, definition: &Definition, cases: &[Case]) -> RubyUnion {
        let types: BTreeSet<_> = cases
            .iter()
            .map(|case| format!("[{}]", self.doc_type(&case.ty)))
            .collect();
        let types: Vec<_> = types.into_iter().collect();
        let cases = cases.iter().map(|case| RubyCase {
            ty: ty(&case.ty),
            shape: case.shape,
            conditions: case.conditions.iter().map(condition).collect(),
            internal: case.is_internal,
        });
        RubyUnion {
            name: definition.name.clone(),
            doc: self.doc(&definition.doc),
            types: types.join(", ").replace(['[', ']'], ""),
            cases: cases.collect(),
        }
    }

    fn text(&self, definition: &Definition, ty: &str, values: &[Known]) -> Result<RubyText> {
        let mut names = BTreeSet::new();
        let mut found = Vec::new();
        for known in values {
            let mut name = words(&known.value).join("_").to_uppercase();
            if name.starts_with(|letter: char| letter.is_ascii_digit()) {
                name.insert_str(0, "OF_");
            }
            if name == "KNOWN" || !names.insert(name.clone()) {
                return Err(format!("Ruby: {}::{name} occurs twice", definition.name).into());
            }
            found.push(RubyValue {
                name,
                doc: self.doc(&known.doc),
                literal: format!("{:?}", known.value),
            });
        }
        Ok(RubyText {
            name: definition.name.clone(),
            doc: self.doc(&definition.doc),
            ty: ty.to_owned(),
            values: found,
        })
    }

    /// Returns the lines of a comment, each with a space before it. Names of definitions become links.
    fn doc(&self, text: &str) -> Vec<String> {
        let is_definition = |name: &str| self.model.definitions.contains_key(name);
        let linked = rename(text, |name| {
            is_definition(name).then(|| format!("{{{name}}}"))
        });
        let linked = linked.replace("`{", "{").replace("}`", "}");
        linked
            .lines()
            .map(|line| {
                if line.is_empty() {
                    String::new()
                } else {
                    format!(" {line}")
                }
            })
            .collect()
    }

    /// Returns a type in the words of YARD.
    fn doc_type(&self, ty: &Type) -> String {
        match ty {
            Type::Json | Type::Later(_) => "Object".to_owned(),
            Type::Text => "String".to_owned(),
            Type::Flag => "Boolean".to_owned(),
            Type::Integer => "Integer".to_owned(),
            Type::Number => "Integer, Float, Decimal".to_owned(),
            Type::Named(name) => match self.model.definitions.get(name).map(|found| &found.form) {
                Some(Form::Enumeration(_)) => format!("String, {name}"),
                Some(Form::Alias(alias)) => self.doc_type(alias),
                _ => name.clone(),
            },
            Type::List(item) => format!("Array<{}>", self.doc_type(item)),
            Type::Dictionary(item) => format!("Hash{{String => {}}}", self.doc_type(item)),
            Type::Nullable(inner) => format!("{}, nil", self.doc_type(inner)),
        }
    }
}

/// Returns a type as the package's reader takes it.
fn ty(of: &Type) -> String {
    match of {
        Type::Json | Type::Later(_) => ":json".to_owned(),
        Type::Text => ":string".to_owned(),
        Type::Flag => ":boolean".to_owned(),
        Type::Integer => ":integer".to_owned(),
        Type::Number => ":number".to_owned(),
        Type::Named(name) => format!(":{name}"),
        Type::List(item) => format!("[:list, {}]", ty(item)),
        Type::Dictionary(item) => format!("[:map, {}]", ty(item)),
        Type::Nullable(inner) => format!("[:nullable, {}]", ty(inner)),
    }
}

fn condition(condition: &Condition) -> RubyCondition {
    let literals: Vec<_> = condition.values.iter().map(ToString::to_string).collect();
    RubyCondition {
        key: condition.key.clone(),
        literals: literals.join(", "),
        optional: if condition.may_be_absent {
            "true"
        } else {
            "false"
        },
    }
}
