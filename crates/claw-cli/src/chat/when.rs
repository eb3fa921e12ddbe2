//! Decides whether a conversation runs in the `claw serve` of the user.

use claw_client::types::QueryOptions;

use crate::args::{Attach, Chat};
use crate::outcome::{Outcome, report};

/// Prints an error text, and returns the outcome for wrong usage.
fn refuse(text: String) -> Outcome {
    report(&std::io::Error::other(text), Outcome::Usage)
}

impl Chat {
    /// Returns the first given option that applies only to a process of this command, and not to a server's session.
    fn option_of_own_process(&self) -> Option<&'static str> {
        let setup = &self.setup;
        let given = [
            (setup.options.is_some(), "--options"),
            (setup.allowed_tools.is_some(), "--allowed-tools"),
            (setup.wait_for_limit.is_some(), "--wait-for-limit"),
            (setup.record.is_some(), "--record"),
            (setup.replay.is_some(), "--replay"),
            (setup.store.store.is_some(), "--store"),
            (setup.store.store_file.is_some(), "--store-file"),
            (!setup.config_dirs.config_dirs.is_empty(), "--config-dir"),
        ];
        given.into_iter().find_map(|(is, name)| is.then_some(name))
    }

    /// Runs the conversation in the server, if the options and the server allow this. Returns `None` if the
    /// conversation must run in a process of this command.
    ///
    /// # Errors
    ///
    /// Prints an error and fails with its outcome if the conversation must run in a server and cannot.
    #[cfg(all(unix, feature = "terminal", feature = "serve"))]
    pub(crate) async fn attach(&self, options: &QueryOptions) -> Result<Option<Outcome>, Outcome> {
        use super::attached::{Asked, SessionChoice, open};

        let must = self.attach == Attach::Always;
        if self.attach == Attach::Never {
            return Ok(None);
        }
        if !crate::console::is_usable() {
            return without(must, "this needs a terminal that can be drawn on");
        }
        if let Some(option) = self.option_of_own_process() {
            return without(must, &format!("the server does not take {option}"));
        }
        let sessions = match claw_sessions::Sessions::of_user() {
            Ok(sessions) => sessions,
            Err(error) => return without(must, &error.to_string()),
        };
        let here = std::env::current_dir();
        let here = here.map_err(|error| report(&error, Outcome::Unreadable))?;
        let folder = options
            .cwd
            .as_ref()
            .map_or_else(|| here.clone(), |cwd| here.join(cwd));
        let session = match &options.resume {
            Some(id) => SessionChoice::Of(id.as_str().to_owned()),
            None if self.go_on => SessionChoice::Last,
            None => SessionChoice::New,
        };
        let asked = Asked {
            config_dir: sessions.config_dir(),
            folder: &folder,
            session,
            model: self.setup.model.as_deref(),
            mode: self.setup.permission_mode.as_deref(),
            must,
        };
        match Box::pin(open(asked)).await {
            Ok(Some(attached)) => Ok(Some(Box::pin(super::attach(attached)).await)),
            Ok(None) => Ok(None),
            Err(why) if must => Err(refuse(format!("--attach: {why}"))),
            Err(why) => {
                let why = crate::escape::one_line(&why, 400);
                anstream::eprintln!("claw: this conversation does not run in `claw serve`: {why}");
                Ok(None)
            }
        }
    }

    /// This build cannot connect to the socket of a server.
    #[cfg(not(all(unix, feature = "terminal", feature = "serve")))]
    #[expect(
        clippy::unused_async,
        reason = "it asks a server where there can be one"
    )]
    pub(crate) async fn attach(&self, _: &QueryOptions) -> Result<Option<Outcome>, Outcome> {
        let must = self.attach == Attach::Always;
        let _ = self.option_of_own_process();
        without(must, "this build has no socket to a server")
    }
}

/// Returns `None`, so that the conversation runs in a process of this command. Fails if it must run in a server.
fn without(must: bool, why: &str) -> Result<Option<Outcome>, Outcome> {
    if must {
        return Err(refuse(format!("--attach: {why}")));
    }
    Ok(None)
}
