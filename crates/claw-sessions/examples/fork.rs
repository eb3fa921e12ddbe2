//! Forks a session: `cargo run -p claw-sessions --example fork -- SESSION_ID [LAST_MESSAGE_UUID] [TITLE]`.
//!
//! Prints the ID of the fork. `claude --resume` continues the fork, in the directory of the session.

use std::env;
use std::error::Error;

use claw_sessions::Sessions;

#[expect(clippy::print_stdout, reason = "what the program is for")]
fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let id = arguments.next().ok_or("which session?")?;
    let session = Sessions::of_user()?.find(&id)?;
    let mut fork = session.fork();
    if let Some(message) = arguments.next().filter(|message| !message.is_empty()) {
        fork = fork.up_to(message);
    }
    if let Some(title) = arguments.next() {
        fork = fork.title(title);
    }
    println!("{}", fork.run()?.id().as_str());
    Ok(())
}
