//! The module of a package that is a client of `claw serve`.
//!
//! It has the types of the OpenAPI document, made by the same rules as those of the protocol, in a namespace of their own,
//! because both have names such as `Content`. What is written by hand for the protocol's types is copied into it. A
//! template makes a method of each operation.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};

use xtask::run::{Result, read};
use xtask::served::Served;
use xtask::workspace::Workspace;

use crate::model::api::{Api, Operation, Outcome, Parameter};
use crate::model::{Model, Type};

/// How a language spells what is in an operation.
pub(crate) struct Spelling<'a> {
    /// The type of a body, a parameter or a result, as the templates want it.
    pub ty: &'a dyn Fn(&Model, &Type) -> Value,
    /// The name of a method.
    pub method: fn(&str) -> String,
    /// The name of a parameter.
    pub parameter: fn(&str) -> String,
    /// The lines of a comment.
    pub doc: &'a dyn Fn(&Model, &str) -> Vec<String>,
}

/// Uses a server with a package's program, and returns what the program did.
///
/// # Errors
/// Fails if the program fails, or if it did not do what it has to do.
pub(crate) fn used(program: &[&str], folder: &Path, server: &Served) -> Result<String> {
    let began = Instant::now();
    let mut command = Command::new(program[0]);
    command.args(&program[1..]).current_dir(folder);
    let [_, (_, token)] = server.variables();
    let printed = read(command.envs(server.variables()))
        .map_err(|error| error.to_string().replace(token, "…"))?;
    let account = printed.trim();
    // A client that does not exist on this system, with the reason.
    if account.starts_with("not used: ") {
        return Ok(account.to_owned());
    }
    if !account.ends_with(", 1 request answered, \"Seven.\"") {
        return Err(format!("the client answered no request: {account}").into());
    }
    let seconds = began.elapsed().as_secs_f64();
    Ok(format!("{account}, in {seconds:.1} s"))
}

/// Starts a server, which all languages use.
///
/// # Errors
/// Fails if the server does not start.
pub(crate) fn start(workspace: &Workspace) -> Result<Served> {
    let place = workspace.ci_directory().join("packages/served");
    if place.exists() {
        fs::remove_dir_all(&place)?;
    }
    Served::start(&place)
}

/// Returns the operations for a template.
pub(crate) fn operations(api: &Api, spelling: &Spelling) -> Value {
    let operation = |of: &Operation| spelling.operation(&api.model, of);
    api.operations.iter().map(operation).collect()
}

impl Spelling<'_> {
    fn operation(&self, model: &Model, of: &Operation) -> Value {
        let parameter = |of: &Parameter| {
            json!({
                "name": (self.parameter)(&of.name),
                "key": of.name,
                "type": (self.ty)(model, &of.ty),
                "place": of.place,
                "doc": (self.doc)(model, &of.doc),
            })
        };
        let parameters = |is_required| {
            let of_these = of.parameters.iter();
            let of_these = of_these.filter(move |of| of.is_required == is_required);
            of_these.map(parameter).collect::<Vec<_>>()
        };
        let named = |name: &String| (self.ty)(model, &Type::Named(name.clone()));
        let result = match &of.result {
            Outcome::Nothing => json!({ "kind": "nothing" }),
            Outcome::Json(ty, may_be_absent) => json!({
                "kind": "json", "type": (self.ty)(model, ty), "may_be_absent": may_be_absent,
            }),
            Outcome::Text(media) => json!({ "kind": "text", "media": media }),
            Outcome::Events(union) => json!({ "kind": "events", "type": named(union) }),
            Outcome::Socket(sent, received) => json!({
                "kind": "socket", "sent": named(sent), "type": named(received),
            }),
        };
        json!({
            "name": (self.method)(&of.name),
            "doc": (self.doc)(model, &of.doc),
            "method": of.method,
            "path": of.path,
            "parts": self.parts(of),
            "open": of.is_open,
            "required": parameters(true),
            "optional": parameters(false),
            "body": of.body.as_ref().map(|ty| (self.ty)(model, ty)),
            "result": result,
        })
    }

    /// Divides a path into texts and names of parameters.
    fn parts(&self, of: &Operation) -> Vec<Value> {
        let mut parts = Vec::new();
        for (at, part) in of.path.split(['{', '}']).enumerate() {
            if at % 2 == 1 {
                parts.push(json!({ "text": null, "parameter": (self.parameter)(part) }));
            } else if !part.is_empty() {
                parts.push(json!({ "text": part, "parameter": null }));
            }
        }
        parts
    }
}
