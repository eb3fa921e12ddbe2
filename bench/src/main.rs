//! Compares claw with other SDKs and crates. `cargo xtask bench [TABLE]…` builds and runs this, and
//! docs/performance.md has its output.
//!
//! Every figure is a median over rounds in which the contestants take turns, so that a temporary
//! load of the machine affects all of them.

use std::error::Error;

mod acp;
mod agent;
mod codec;
mod concurrent;
mod control;
mod host;
mod index;
mod lines;
#[cfg(feature = "peers")]
mod peers;
mod pipe;
mod plain;
mod process;
mod rounds;
mod serve;
mod sessions;
mod spares;
mod start;
mod stores;
mod view;

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// A table's name, and the function that prints it.
type Table = (&'static str, fn() -> Result);

const TABLES: &[Table] = &[
    #[cfg(feature = "peers")]
    ("peers", peers::main),
    ("codec", codec::main),
    ("pipe", pipe::main),
    ("start", start::main),
    ("start-real", start::real),
    ("spares", spares::main),
    ("control", control::main),
    ("concurrent", concurrent::main),
    ("sessions", sessions::main),
    ("stores", stores::main),
    ("index", index::main),
    ("serve", serve::main),
    ("observers", serve::observers),
    ("view", view::main),
    ("acp", acp::main),
];

fn main() -> Result {
    let names: Vec<String> = std::env::args().skip(1).collect();
    if let [host, what, rest @ ..] = &names[..]
        && host == "host"
    {
        return match &**what {
            "load" => stores::load(rest),
            "index" => index::host(rest),
            _ => host::main(what, rest),
        };
    }
    for name in &names {
        let found = TABLES.iter().find(|(table, _)| table == name);
        let (_, table) = found.ok_or_else(|| {
            let names: Vec<_> = TABLES.iter().map(|(name, _)| name).collect();
            format!("no table {name:?}; there are {names:?}")
        })?;
        println!("\n## {name}\n");
        table()?;
    }
    Ok(())
}

/// A runtime of one thread, as most programs that drive a CLI have.
fn block_on<T>(future: impl Future<Output = T>) -> std::io::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    Ok(runtime.block_on(future))
}
