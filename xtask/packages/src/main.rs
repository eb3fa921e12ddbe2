//! `cargo xtask packages`: generates packages for other languages from the schemas, compiles them, and reads every line of
//! the fixtures with them.
//!
//! A language is a file of rules and a few templates. The rules map the model (`model.rs`) to names and types of the
//! language; the templates write its sources. What a package has that is not generated is in `schemas/packages`. The
//! package is made in `target/ci/packages` and is not committed. `proof.rs` tests it.
#![forbid(unsafe_code)]
#![expect(
    clippy::print_stdout,
    reason = "a command line tool: printing is what it does"
)]

use std::process::ExitCode;

use clap::Parser;

use xtask::run::Result;
use xtask::workspace::{OPENAPI, Workspace};

mod elixir;
mod exact;
mod go;
mod kotlin;
mod language;
mod model;
mod proof;
mod ruby;
mod server;
mod swift;
mod words;

use language::{Compiled, Language};
use model::Model;
use model::api::Api;

/// The languages that have a package, in the order in which they are tested.
const LANGUAGES: [Language; 5] = [
    go::GO,
    ruby::RUBY,
    elixir::ELIXIR,
    kotlin::KOTLIN,
    swift::SWIFT,
];

/// Generate packages for other languages from the schemas, compile them, and read every line of the fixtures with them.
#[derive(Parser)]
#[command(name = "cargo xtask packages", bin_name = "cargo xtask packages")]
struct Args {
    /// Only these languages. All languages, if none is named.
    #[arg(value_name = "LANGUAGE", value_parser = clap::builder::PossibleValuesParser::new(names()))]
    languages: Vec<String>,
    /// Only generate, without a compiler of the language.
    #[arg(long)]
    generate: bool,
}

fn names() -> Vec<&'static str> {
    LANGUAGES.iter().map(|language| language.name).collect()
}

fn main() -> ExitCode {
    xtask::run::ended(packages(&Args::parse()).map(|()| ExitCode::SUCCESS))
}

/// Generates the packages, and proves each.
fn packages(args: &Args) -> Result {
    let workspace = Workspace::read()?;
    let model = Model::read(&workspace.root.join("schemas"))?;
    let api = Api::read(&workspace.root.join(OPENAPI), &model)?;
    let lines = proof::Lines::read(&workspace)?;
    let mut served = None;
    for language in &LANGUAGES {
        if !args.languages.is_empty() && !args.languages.iter().any(|name| name == language.name) {
            continue;
        }
        let folder = language.generate(&workspace, &model, &api)?;
        if args.generate {
            println!("{}", folder.display());
            continue;
        }
        let name = language.name;
        match language.compile(&workspace, &folder)? {
            Compiled::Parsed(account) => println!("{name}: {account}"),
            Compiled::Yes => {
                println!(
                    "{name}: {}",
                    proof::check(language, &model, &lines, &folder)?
                );
                if let Some(client) = &language.server {
                    if served.is_none() {
                        served = Some(server::start(&workspace)?);
                    }
                    if let Some(server) = &served {
                        println!(
                            "{name}: server: {}",
                            server::used(client.program, &folder, server)?
                        );
                    }
                }
            }
        }
        let [bytes, rules] = language.sizes(&folder)?;
        println!(
            "{name}: a package of {} kB, made by {rules} lines of rules and templates, in {}",
            bytes.div_ceil(1000),
            folder.display()
        );
    }
    Ok(())
}
