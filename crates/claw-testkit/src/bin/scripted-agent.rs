//! A process that looks like `claude` and says what a script says; see `claw_testkit::agent`.
#![forbid(unsafe_code)]

use claw_testkit::agent::{Launch, stdio};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let launch = Launch::from_args(std::env::args_os().skip(1), |name| std::env::var_os(name))?;
    std::process::exit(stdio(&launch).await)
}
