//! An MCP server in the program's own process: the model calculates with its tools.
//!
//! `cargo run -p claw-client --features mcp --example calculator -- "What is 17 + 25?"`
#![expect(clippy::print_stdout, reason = "an example prints")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use claw_client::{Error, QueryOptions, Session};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::{tool, tool_router};

/// An ordinary server of the crate rmcp, which shares its data with the program.
#[derive(Default)]
struct Calculator {
    calculated: Arc<AtomicUsize>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Numbers {
    /// The first number.
    a: f64,
    /// The second number.
    b: f64,
}

#[tool_router(server_handler)]
impl Calculator {
    #[tool(description = "Adds two numbers")]
    fn add(&self, Parameters(Numbers { a, b }): Parameters<Numbers>) -> String {
        self.calculated.fetch_add(1, Ordering::Relaxed);
        (a + b).to_string()
    }

    /// The model reads the text of an `Err`, and may try again.
    #[tool(description = "Divides the first number by the second")]
    fn divide(&self, Parameters(Numbers { a, b }): Parameters<Numbers>) -> Result<String, String> {
        if b == 0.0 {
            return Err("nothing can be divided by zero".to_owned());
        }
        self.calculated.fetch_add(1, Ordering::Relaxed);
        Ok((a / b).to_string())
    }
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let asked = std::env::args().nth(1);
    let prompt = asked.unwrap_or_else(|| "What is 17 + 25?".to_owned());

    let calculator = Calculator::default();
    let calculated = calculator.calculated.clone();
    // The model sees the tools as `mcp__calculator__add` and `mcp__calculator__divide`. Like any other tool, they
    // need a permission for each use, unless they are allowed here.
    let allowed = ["add", "divide"].map(|tool| format!("mcp__calculator__{tool}"));
    let session = Session::builder(QueryOptions::default().allowed_tools(allowed))
        .mcp_server("calculator", calculator)
        .connect()
        .await?;

    println!("{}", session.ask(prompt).await?);
    println!("(calculated: {})", calculated.load(Ordering::Relaxed));
    session.close().await?;
    Ok(())
}
