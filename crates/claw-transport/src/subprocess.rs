//! The CLI as these options want it.

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

/// Runs the CLI as a subprocess: found, given its arguments, environment and directory, launched.
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
    /// A CLI with these options, on this machine.
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

    /// Sets whether somebody answers permission requests on stdin. The default is no: then the
    /// CLI denies what it would have to ask for. A session of claw-client with a permission callback sets it.
    pub fn permission_prompts(mut self, answered: bool) -> Self {
        self.permission_prompts = answered;
        self
    }

    /// Has each line of stderr given to `callback`, as [`CommandSpec::on_stderr`] says.
    pub fn on_stderr(mut self, callback: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.on_stderr = Some(Arc::new(callback));
        self
    }

    /// Sets whether what the CLI started is left alone when it is killed or crashes. The default
    /// is that nothing is left.
    pub fn leave_orphans(mut self, leave: bool) -> Self {
        self.leave_orphans = leave;
        self
    }

    /// Sets whether the session that [`resume`](QueryOptions::resume) names is looked for on this
    /// machine before the CLI is started: [`TransportError::SessionNotFound`]. Where it is kept, and the
    /// CLI does not find it from its working directory, the same error says where. The default is yes.
    /// Only a launcher of this machine looks; a program that itself runs the CLI elsewhere wants no.
    pub fn check_resume(mut self, check: bool) -> Self {
        self.check_resume = check;
        self
    }

    /// Sets where and how the CLI is run.
    pub fn launcher(mut self, launcher: impl Launcher + 'static) -> Self {
        self.launcher = Arc::new(launcher);
        self
    }

    /// The command that would be run. Looks for the CLI, starts nothing.
    ///
    /// # Errors
    ///
    /// As [`discover`] and [`argv`] say.
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
    /// A launch failure as [`TransportError::is_launch_failure`] knows them, or
    /// [`Io`](TransportError::Io) where the system is out of something.
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
