//! Prints the conversation of the newest session of a directory: `cargo run -p claw-sessions --example history -- /work/project`.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example prints"
)]

use std::error::Error;

use claw_sessions::Sessions;

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args_os().nth(1).ok_or("which directory?")?;
    let sessions = Sessions::of_user()?;
    let list = sessions.list().project(&directory).limit(1).run()?;
    let newest = list.sessions.first().ok_or("there is no session")?;
    let session = sessions.find_in(directory.as_ref(), newest.session_id.as_str())?;
    let history = session.messages().read()?;
    for message in &history.messages {
        // Debug escapes what could change a terminal.
        println!("{}: {:?}", message.kind.as_str(), message.message.as_raw());
    }
    for problem in list.problems.iter().chain(&history.problems) {
        eprintln!("{problem}");
    }
    Ok(())
}
