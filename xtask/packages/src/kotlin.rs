//! The rules of Kotlin: names and types. Each definition has a file of its own, as is usual in Kotlin.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use xtask::run::Result;

use crate::language::{Language, Server, Source, render};
use crate::model::api::Api;
use crate::model::{Case, Condition, Definition, Form, Known, Model, Shape, Type};
use crate::server::{Spelling, operations};
use crate::words::{camel, comment, rename, split, words};

pub(crate) const KOTLIN: Language = Language {
    name: "kotlin",
    compiler: &["java", "-version"],
    debian: "default-jre-headless",
    npm: Some("kotlin-compiler@2.4.20"),
    parser: None,
    sources,
    // A compiler that runs for less than a minute is faster without the JVM's second compiler. It needs a GB of memory.
    // The checks, the program of the proof and the example of the README see only what is public.
    compile: "mkdir -p built
sed -n '/^```kotlin$/,/^```$/{//!p;}' README.md > built/Example.kt
lib=$NPM/node_modules/kotlin-compiler/lib
compile() {
    java -Xmx1g -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp \"$lib/kotlin-compiler.jar\" \\
        org.jetbrains.kotlin.cli.jvm.K2JVMCompiler -no-reflect -jvm-target 17 -Werror \"$@\"
}
compile -Xexplicit-api=strict -module-name claw-protocol -d built/claw-protocol.jar src/main/kotlin
compile -cp built/claw-protocol.jar -include-runtime -d built/use.jar use
compile -cp built/claw-protocol.jar -include-runtime -d built/proof.jar proof built/Example.kt
java -ea -cp built/proof.jar:built/claw-protocol.jar claw.protocol.proof.ChecksKt
echo '{\"type\":\"keep_alive\"}' | java -cp built/proof.jar:built/claw-protocol.jar ExampleKt",
    program: &[
        "java",
        "-XX:+UseSerialGC",
        "-Xmx1g",
        "-cp",
        "built/proof.jar:built/claw-protocol.jar",
        "claw.protocol.proof.ProofKt",
    ],
    type_name: str::to_owned,
    server: Some(Server {
        // What is not declared in the package is that of the protocol's package.
        shared: &[],
        without: &[],
        rename: |text| {
            let text = text.replace("claw/protocol/", "claw/server/");
            let from = "\npackage claw.protocol\n";
            text.replacen(from, "\npackage claw.server\n\nimport claw.protocol.*\n", 1)
        },
        client,
        program: &[
            "java",
            "-cp",
            "built/use.jar:built/claw-protocol.jar",
            "UseKt",
        ],
    }),
    rules: &[
        include_str!("kotlin.rs"),
        STRUCT,
        UNION,
        TEXT,
        PACKAGE,
        CLIENT,
    ],
};

const STRUCT: &str = include_str!("../templates/kotlin/struct.kt.jinja");
const UNION: &str = include_str!("../templates/kotlin/union.kt.jinja");
const TEXT: &str = include_str!("../templates/kotlin/text.kt.jinja");
const PACKAGE: &str = include_str!("../templates/kotlin/package.kt.jinja");

const CLIENT: &str = include_str!("../templates/kotlin/client.kt.jinja");

const FOLDER: &str = "src/main/kotlin/claw/protocol";

/// Names that the package's own files declare, and those of Kotlin that they use.
const OWN: &str = "Any Array ArrayList Boolean Build Char DictionaryType Exception Fields FlagType Int IntegerType Json \
    JsonArray JsonBoolean JsonNull JsonNumber JsonObject JsonString Line LineException LineReader \
    LinkedHashMap List ListType Long Map Members NullableType NumberType Package Pair Present Set String \
    TextType Type Types Unknown Value ValueType";

/// Words that are names in Kotlin only between backticks.
const KEYWORDS: &str = "as break class continue do else false for fun if in interface is null object package return super \
    this throw true try typealias typeof val var when while";

/// The members of every data class of the package.
const METHODS: &str = "extra toJson readResponse copy hashCode toString equals";

fn sources(model: &Model) -> Result<Vec<Source>> {
    let mut rules = Rules::of(model);
    for (union, definition) in &model.definitions {
        let Form::Union(form) = &definition.form else {
            continue;
        };
        for case in &form.cases {
            if let Type::Named(name) = &case.ty {
                rules.memberships.entry(name).or_default().insert(union);
            }
        }
    }
    let mut unions = Vec::new();
    let mut all = Vec::new();
    for definition in model.definitions.values() {
        rules.add(&definition.name)?;
        let (template, data) = match &definition.form {
            Form::Struct(form) => (STRUCT, rules.structure(definition, form)?),
            Form::Union(form) => {
                unions.push(&definition.name);
                (UNION, rules.union(definition, &form.cases)?)
            }
            Form::Enumeration(values) => (TEXT, rules.text(definition, &Type::Text, values)?),
            Form::Alias(ty) => (TEXT, rules.text(definition, ty, &[])?),
        };
        let path = format!("{FOLDER}/{}.kt", definition.name);
        all.extend(render(&[(&path, template)], &data)?);
    }
    let package = json!({
        "unions": unions,
        "schema": model.schema_version,
        "cli": model.cli_version,
    });
    let path = format!("{FOLDER}/Package.kt");
    all.extend(render(&[(&path, PACKAGE)], &package)?);
    Ok(all)
}

fn client(api: &Api) -> Result<Vec<Source>> {
    let rules = Rules::of(&api.model);
    let spelling = Spelling {
        ty: &|_, ty| json!({ "name": kotlin(ty), "codec": codec(ty) }),
        method: str::to_owned,
        parameter: field_name,
        doc: &|_, text| rules.doc(text),
    };
    let data = json!({ "operations": operations(api, &spelling) });
    render(
        &[("src/main/kotlin/claw/server/Operations.kt", CLIENT)],
        &data,
    )
}

struct Rules<'a> {
    model: &'a Model,
    /// The unions of which each definition is a case.
    memberships: BTreeMap<&'a str, BTreeSet<&'a str>>,
    /// The names of the package, in small letters.
    names: BTreeSet<String>,
}

impl<'a> Rules<'a> {
    fn of(model: &'a Model) -> Self {
        Self {
            model,
            memberships: BTreeMap::new(),
            names: split(&OWN.to_lowercase()),
        }
    }

    /// Adds a name of the package.
    ///
    /// # Errors
    /// Fails if the package has it.
    fn add(&mut self, name: &str) -> Result {
        // Names that differ only in capitals have the same file on some systems.
        if self.names.insert(name.to_lowercase()) {
            return Ok(());
        }
        Err(format!("Kotlin: the name {name} occurs twice").into())
    }

    /// Returns the interfaces of a definition.
    fn unions(&self, definition: &Definition) -> Vec<&str> {
        let unions = self.memberships.get(&*definition.name);
        unions.map_or_else(|| vec!["Value"], |unions| unions.iter().copied().collect())
    }

    fn structure(&self, definition: &Definition, form: &crate::model::Struct) -> Result<Value> {
        let mut names = split(METHODS);
        let mut fields = Vec::new();
        for field in &form.fields {
            let name = field_name(&field.key);
            if !names.insert(name.clone()) {
                return Err(format!("Kotlin: {}.{name} occurs twice", definition.name).into());
            }
            let mut doc = self.doc(&field.doc);
            if let Some(since) = &field.since {
                doc.push(format!(" Since version {since}."));
            }
            if let Type::Later(name) = &field.ty {
                doc.push(format!(
                    " It is meant to be a [{name}]: `{name}.read` reads it."
                ));
            }
            let ty = kotlin(&field.ty);
            let (how, ty) = match (field.is_required, field.is_nullable) {
                (true, false) => ("required", ty),
                (true, true) => ("nullable", format!("{ty}?")),
                (false, false) => ("optional", format!("{ty}? = null")),
                (false, true) => ("present", format!("Present<{ty}>? = null")),
            };
            fields.push(json!({
                "name": name, "key": literal(&field.key), "doc": doc, "type": ty, "how": how,
                "codec": codec(&field.ty),
            }));
        }
        let tag = |tag: &crate::model::Tag| {
            let json = match &tag.value {
                Value::Bool(flag) => format!("JsonBoolean({flag})"),
                value => format!(
                    "JsonString({})",
                    literal(value.as_str().unwrap_or_default())
                ),
            };
            json!({ "key": tag.key, "json": json })
        };
        Ok(json!({
            "name": definition.name,
            "doc": self.doc(&definition.doc),
            "unions": self.unions(definition),
            "tags": form.tags.iter().map(tag).collect::<Vec<_>>(),
            "fields": fields,
            "answer": form.answer,
        }))
    }

    fn union(&mut self, definition: &Definition, of: &[Case]) -> Result<Value> {
        let name = &definition.name;
        let (mut types, mut cases, mut inlines) = (Vec::new(), Vec::new(), Vec::new());
        let (mut shapes, mut expected) = (Vec::new(), Vec::new());
        for case in of {
            let (class, word) = shape(case.shape);
            let read = if let Type::Named(inner) = &case.ty {
                types.push(inner.clone());
                format!("{inner}.read(json)")
            } else {
                let own = format!("{name}{}", class.replacen("Json", "", 1));
                let own = own.replace("String", "Text").replace("Array", "List");
                self.add(&own)?;
                inlines.push(json!({
                    "name": own, "type": kotlin(&case.ty), "codec": codec(&case.ty), "word": word,
                }));
                types.push(own.clone());
                format!("{own}({}.read(json))", codec(&case.ty))
            };
            let read = if case.is_internal {
                format!("ifRead<{name}>(json, {{ it }}) {{ {read} }}")
            } else {
                read
            };
            let conditions: Vec<_> = case.conditions.iter().map(condition).collect();
            let is_shape = format!("json is {class}");
            if !expected.contains(&word) {
                expected.push(word);
                shapes.push(is_shape.clone());
            }
            if conditions.is_empty() {
                // No value of this shape is unknown.
                shapes.retain(|other| *other != is_shape);
            }
            cases.push(json!({
                "condition": if conditions.is_empty() { is_shape } else { conditions.join(" && ") },
                "read": read,
            }));
        }
        Ok(json!({
            "name": name,
            "doc": self.doc(&definition.doc),
            "unions": self.unions(definition),
            "types": types,
            "cases": cases,
            "inlines": inlines,
            "shapes": shapes,
            "expected": expected,
        }))
    }

    fn text(&self, definition: &Definition, ty: &Type, values: &[Known]) -> Result<Value> {
        let mut names = BTreeSet::from(["KNOWN".to_owned()]);
        let mut found = Vec::new();
        for known in values {
            let mut name = words(&known.value).join("_").to_uppercase();
            if name.starts_with(|letter: char| letter.is_ascii_digit()) {
                name.insert_str(0, "OF_");
            }
            if !names.insert(name.clone()) {
                return Err(format!("Kotlin: {}.{name} occurs twice", definition.name).into());
            }
            found.push(json!({
                "name": name, "doc": self.doc(&known.doc), "literal": literal(&known.value),
            }));
        }
        Ok(json!({
            "name": definition.name,
            "doc": self.doc(&definition.doc),
            "unions": self.unions(definition),
            "type": kotlin(ty),
            "codec": codec(ty),
            "values": found,
        }))
    }

    /// Returns the lines of a comment, each with a space before it. Names of definitions become links. A comment in Kotlin
    /// can have comments in it, which a description must not begin or end.
    fn doc(&self, text: &str) -> Vec<String> {
        let is_definition = |name: &str| self.model.definitions.contains_key(name);
        let linked = rename(text, |name| {
            is_definition(name).then(|| format!("[{name}]"))
        });
        let linked = linked.replace("`[", "[").replace("]`", "]");
        let linked = linked.replace("/*", "/&#42;").replace("*/", "*&#47;");
        comment(&linked)
    }
}

/// Returns the name of a property.
fn field_name(key: &str) -> String {
    let mut name = camel(key);
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
            '"' | '\\' | '$' => literal.extend(['\\', letter]),
            letter if letter.is_control() => {
                literal.extend(format!("\\u{:04x}", u32::from(letter)).chars());
            }
            letter => literal.push(letter),
        }
    }
    literal + "\""
}

/// Returns the Kotlin type of a value that is there and not null.
fn kotlin(ty: &Type) -> String {
    match ty {
        Type::Json | Type::Later(_) => "Json".to_owned(),
        Type::Text => "String".to_owned(),
        Type::Flag => "Boolean".to_owned(),
        Type::Integer => "Long".to_owned(),
        Type::Number => "JsonNumber".to_owned(),
        Type::Named(name) => name.clone(),
        Type::List(item) => format!("List<{}>", kotlin(item)),
        Type::Dictionary(item) => format!("Map<String, {}>", kotlin(item)),
        Type::Nullable(inner) => format!("{}?", kotlin(inner)),
    }
}

/// Returns the object that reads and writes values of a type.
fn codec(ty: &Type) -> String {
    match ty {
        Type::Json | Type::Later(_) => "Json".to_owned(),
        Type::Text => "TextType".to_owned(),
        Type::Flag => "FlagType".to_owned(),
        Type::Integer => "IntegerType".to_owned(),
        Type::Number => "NumberType".to_owned(),
        Type::Named(name) => name.clone(),
        Type::List(item) => format!("ListType({})", codec(item)),
        Type::Dictionary(item) => format!("DictionaryType({})", codec(item)),
        Type::Nullable(inner) => format!("NullableType({})", codec(inner)),
    }
}

fn condition(condition: &Condition) -> String {
    let values = condition.values.iter().map(|value| match value {
        Value::String(text) => literal(text),
        other => other.to_string(),
    });
    let arguments: Vec<_> = [literal(&condition.key)]
        .into_iter()
        .chain(values)
        .collect();
    let function = if condition.may_be_absent {
        "mayHave"
    } else {
        "has"
    };
    format!("json.{function}({})", arguments.join(", "))
}

/// Returns the class of a JSON value of a kind, and the kind in words.
fn shape(shape: Shape) -> (&'static str, &'static str) {
    match shape {
        Shape::Object => ("JsonObject", "an object"),
        Shape::Array => ("JsonArray", "an array"),
        Shape::String => ("JsonString", "a string"),
        Shape::Number => ("JsonNumber", "a number"),
        Shape::Boolean => ("JsonBoolean", "a boolean"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kotlins() {
        for (key, name) in [
            ("session_id", "sessionId"),
            ("object", "`object`"),
            ("5m", "of5m"),
            ("-A", "flagA"),
            ("parentUUID", "parentUuid"),
        ] {
            assert_eq!(field_name(key), name);
        }
    }

    #[test]
    fn texts_have_no_templates_in_them() {
        assert_eq!(literal("$schema \"a\\\n"), r#""\$schema \"a\\\u000a""#);
    }

    #[test]
    fn a_description_neither_begins_nor_ends_a_comment() {
        let model = Model {
            schema_version: String::new(),
            cli_version: String::new(),
            definitions: BTreeMap::new(),
            kinds: Vec::new(),
        };
        let rules = Rules::of(&model);
        assert_eq!(rules.doc("image/* and */"), [" image/&#42; and *&#47;"]);
    }
}
