//! The arguments of `claw audit`.

use std::path::PathBuf;

use clap::Args;

#[derive(Args)]
pub(crate) struct Audit {
    /// The file of `claw serve --audit`.
    pub(crate) file: PathBuf,
    /// Print only what this user has done. `(token)` is the owner of the server, and `(unknown)` a sender without valid
    /// credentials.
    #[arg(long, value_name = "NAME")]
    pub(crate) user: Option<String>,
    /// Print only what was done in this session. The start of its ID is enough.
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Print only what was done at this time in UTC or later, such as 2026-11-29 or 2026-11-29T12:30.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) since: Option<String>,
    /// Print the entries as they are in the file, as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// A time, or the beginning of one, in the form of the file.
fn time(text: &str) -> Result<String, &'static str> {
    let form = "0000-00-00T00:00:00.000Z";
    let fits = |(given, form): (char, char)| match form {
        '0' => given.is_ascii_digit(),
        form => given == form,
    };
    let is_time = text.len() >= 4 && text.len() <= form.len();
    if is_time && text.chars().zip(form.chars()).all(fits) {
        return Ok(text.to_owned());
    }
    Err("a time is one such as 2026-11-29 or 2026-11-29T12:30:00.000Z")
}
