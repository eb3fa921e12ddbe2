//! `cargo xtask usage`: compares claw's reports on the usage of sessions with those of other programs.
//!
//! Tokens and costs by day, model and session are compared with those of the npm package `ccusage`, on generated
//! transcripts and on those of the real CLI in fixtures/. The shipped prices are compared with the costs that the real
//! CLI computes for responses of a scripted API.

use xtask::run::Result;
use xtask::workspace::Workspace;

mod ccusage;
mod compare;
mod prices;
mod world;

/// The command line of `cargo xtask usage`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Compares only the shipped prices with the real CLI.
    #[arg(long)]
    prices: bool,
}

pub(crate) fn main(args: &Args) -> Result {
    let workspace = Workspace::read()?;
    if !args.prices {
        compare::compare(&workspace)?;
    }
    prices::compare(&workspace)
}
