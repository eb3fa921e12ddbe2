//! An answer of a form that a type gives.
//!
//! `cargo run -p claw-client --example structured_output -- "Plan a pancake breakfast."`
#![expect(clippy::print_stdout, reason = "an example prints")]

use claw_client::{Error, QueryOptions, Session};
// In a program of your own: `schemars` and `serde` from the crates of that name.
use schemars::JsonSchema;
use serde::Deserialize;

/// A shopping list. (The model reads these comments: they are in the schema.)
#[derive(Debug, Deserialize, JsonSchema)]
struct Shopping {
    /// For how many people it is.
    people: u32,
    /// The items to buy, in the order of the shelves.
    items: Vec<Item>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Item {
    name: String,
    /// In grams.
    weight: f64,
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let asked = std::env::args().nth(1);
    let prompt = asked.unwrap_or_else(|| "Plan a pancake breakfast.".to_owned());

    let session = Session::builder(QueryOptions::default())
        .output_as::<Shopping>()
        .connect()
        .await?;
    match session.ask_as::<Shopping>(prompt).await {
        Ok(list) => {
            println!("for {}:", list.people);
            for item in list.items {
                println!("- {} g of {}", item.weight, item.name);
            }
        }
        // The model gave none, or one that does not fit: worth another try, perhaps.
        Err(error) if error.is_output() => println!("no list: {error}"),
        Err(error) => return Err(error),
    }
    session.close().await?;
    Ok(())
}
