//! `claw serve --notify`: the address to which notices are sent.

use std::error::Error;

use claw_server::ServerBuilder;

use crate::args::notify::Format;
use crate::args::notify::Notices;

/// The environment variable with the address. It is used if the command line contains no address.
const ADDRESS: &str = "CLAW_NOTIFY";
const SECRET: &str = "CLAW_NOTIFY_SECRET";

impl Notices {
    /// Sets the address to which notices are sent, if one is given.
    pub(super) fn set(&self, builder: ServerBuilder) -> Result<ServerBuilder, Box<dyn Error>> {
        use claw_server::{Notify, NotifyFormat};
        let Some(url) = self.address()? else {
            return Ok(builder);
        };
        let format = match self.notify_format {
            Format::Json => NotifyFormat::Json,
            Format::Ntfy => NotifyFormat::Ntfy,
            Format::Slack => NotifyFormat::Slack,
            Format::Telegram => NotifyFormat::Telegram,
        };
        let secret = match format {
            NotifyFormat::Json | NotifyFormat::Ntfy => self.secret()?,
            _ => None,
        };
        let mut notify = Notify::new(&url, format, secret)?;
        if self.notify_content {
            notify = notify.with_content();
        }
        Ok(builder.notify(notify))
    }

    fn address(&self) -> Result<Option<String>, Box<dyn Error>> {
        if let Some(url) = &self.notify {
            if matches!(self.notify_format, Format::Slack | Format::Telegram) {
                return Err(
                    "--notify: every user of this machine can read a command line, and whoever has this address can \
                     write there. Set CLAW_NOTIFY to it."
                        .into(),
                );
            }
            return Ok(Some(url.clone()));
        }
        let url = super::hosting::variable(ADDRESS)?;
        let url = url.filter(|url| !url.is_empty());
        if url.is_none() && (self.notify_content || self.notify_secret_file.is_some()) {
            return Err("notices have no address: --notify is missing".into());
        }
        Ok(url)
    }

    fn secret(&self) -> Result<Option<String>, Box<dyn Error>> {
        let Some(file) = &self.notify_secret_file else {
            return super::hosting::variable(SECRET);
        };
        let text = std::fs::read_to_string(file)
            .map_err(|error| format!("{}: {error}", file.display()))?;
        Ok(Some(text.trim().to_owned()))
    }
}
