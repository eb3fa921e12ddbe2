//! Runs the CLI with options.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use claw_types::options::QueryOptions;

use crate::resume::{self, Resumed};
use crate::stderr::Callback;
use crate::{
    CommandSpec, Launcher, Local, Pipes, Transport, TransportError, argv, discover, environment,
    file_arguments,
};

/// A transport that runs the CLI as a subprocess. It finds the CLI, and starts it with its arguments, environment and
/// working directory.
///
/// ```no_run
/// # async fn example() -> Result<(), claw_transport::TransportError> {
/// use claw_transport::{Subprocess, Transport};
/// use claw_types::options::QueryOptions;
///
/// let options = QueryOptions::default().model("opus");
/// let claude = Subprocess::new(&options).on_stderr(|line| eprintln!("claude: {line}"));
/// let parts = claude.open().await?.into_parts();
/// # Ok(())
/// # }
/// ```
#[must_use]
pub struct Subprocess {
    options: Box<QueryOptions>,
    permission_prompts: bool,
    leave_orphans: bool,
    check_resume: bool,
    on_stderr: Option<Callback>,
    launcher: Arc<dyn Launcher>,
}

impl Subprocess {
    /// Creates a transport that runs the CLI with these options on this machine.
    pub fn new(options: &QueryOptions) -> Self {
        Self {
            options: Box::new(options.clone()),
            permission_prompts: false,
            leave_orphans: false,
            check_resume: true,
            on_stderr: None,
            launcher: Arc::new(Local),
        }
    }

    /// Sets whether your program answers permission requests on stdin. The default is `false`. The CLI then denies
    /// every tool use that needs a permission request. A session of claw-client with a permission callback sets it to
    /// `true`.
    pub fn permission_prompts(mut self, answered: bool) -> Self {
        self.permission_prompts = answered;
        self
    }

    /// Sets the callback that receives the lines that the CLI writes to stderr. [`CommandSpec::on_stderr`] describes
    /// how the callback is called.
    pub fn on_stderr(mut self, callback: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.on_stderr = Some(Arc::new(callback));
        self
    }

    /// Sets whether the CLI's descendants are left running when the CLI is killed or crashes. The default is `false`.
    pub fn leave_orphans(mut self, leave: bool) -> Self {
        self.leave_orphans = leave;
        self
    }

    /// Sets whether claw searches this machine for the session that [`resume`](QueryOptions::resume) names, before it
    /// starts the CLI. If the session does not exist, the start fails with [`TransportError::SessionNotFound`]. If the
    /// session exists, but the CLI does not find it from its working directory, the same error contains the location of
    /// the session. The default is `true`. claw searches only if the launcher is local. Set `false` if the program that
    /// claw starts is a wrapper that runs the CLI elsewhere.
    pub fn check_resume(mut self, check: bool) -> Self {
        self.check_resume = check;
        self
    }

    /// Sets the launcher, which decides where and how the CLI is run.
    pub fn launcher(mut self, launcher: impl Launcher + 'static) -> Self {
        self.launcher = Arc::new(launcher);
        self
    }

    /// Returns the command that this transport runs when it is opened. The method searches for the CLI, but starts no
    /// process.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`discover`] and [`argv`].
    pub fn command(&self) -> Result<CommandSpec, TransportError> {
        let args = argv(&self.options, self.permission_prompts)?;
        let program = if self.launcher.is_local() {
            discover(&self.options)?
        } else {
            let named = self.options.path_to_claude_code_executable.clone();
            named.unwrap_or_else(|| PathBuf::from("claude"))
        };
        let mut command = CommandSpec::new(program)
            .args(args)
            .leave_orphans(self.leave_orphans);
        command.files = file_arguments(&self.options)?;
        command.env = environment(&self.options);
        #[cfg(feature = "otel")]
        crate::trace::pass_on(&mut command.env);
        command.cwd.clone_from(&self.options.cwd);
        command.on_stderr.clone_from(&self.on_stderr);
        Ok(command)
    }
}

impl Transport for Subprocess {
    /// Starts the CLI. Needs a tokio runtime with I/O.
    ///
    /// # Errors
    ///
    /// Fails with a launch failure (see [`TransportError::is_launch_failure`]), or with [`Io`](TransportError::Io) if
    /// the system lacks a resource.
    async fn open(self) -> Result<Pipes, TransportError> {
        let command = self.command()?;
        let resumes = if self.check_resume && self.launcher.is_local() {
            resume::check(&self.options, |name| command.variable(name))?
        } else {
            Resumed::unchecked(&self.options)
        };
        let pipes = self.launcher.launch(command).await?;
        if let Some(session) = resumes {
            pipes.process.set_resumed(session);
        }
        Ok(pipes)
    }

    fn offer_permission_prompts(&mut self) {
        self.permission_prompts = true;
    }

    fn offer_stderr(&mut self, callback: Arc<dyn Fn(&str) + Send + Sync>) {
        self.on_stderr.get_or_insert(callback);
    }
}

impl fmt::Debug for Subprocess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subprocess")
            .field("launcher", &self.launcher)
            .field("permission_prompts", &self.permission_prompts)
            .field("leave_orphans", &self.leave_orphans)
            .finish_non_exhaustive()
    }
}
