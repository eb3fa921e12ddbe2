//! Processes that are started before their session is known.
//!
//! Such a process has completed its handshake, and has received no prompt. A session takes the process over with a
//! second `initialize`, which contains the parts that a repeated one still applies: hooks, the title and the host's own
//! MCP servers. Everything else must be the same as at the start of the process: [`Launch`] checks that.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use claw_transport::{Pipes, Process, Shutdown, Subprocess, Transport, TransportError};
use claw_types::control::{
    ControlRequest, ControlRequestBody, Initialize, InitializeResponse, SetModel, SetPermissionMode,
};
use claw_types::options::{Delivery, PermissionMode};
use claw_types::{Json, QueryOptions, RequestId, SessionId, members};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};

use super::{AnyTransport, SessionBuilder, StderrFn};
use crate::driver::clock::timeout;
use crate::driver::initialize::{Confirm, check, is_object};
use crate::outcome::error::{Cause, Error};
use crate::outcome::version::is_too_old;

/// The ID of the first `initialize`. Later calls of the session have other IDs.
const FIRST: &str = "claw-spare";

/// Maximum length of a line before the response to the first `initialize`, in bytes.
const LONGEST: u64 = 64 << 20;

/// How a builder's process is started: the settings that are fixed at the start, and those that can be changed in a
/// running process.
pub(crate) struct Launch {
    options: Box<QueryOptions>,
    fixed: Fixed,
    model: Option<String>,
    mode: Option<PermissionMode>,
    has_hooks: bool,
    timeout: Duration,
}

/// The settings that cannot be changed in a running process.
#[derive(PartialEq)]
struct Fixed {
    program: PathBuf,
    arguments: Vec<OsString>,
    environment: BTreeMap<OsString, Option<OsString>>,
    cwd: Option<PathBuf>,
    permission_prompts: bool,
    initialize: Box<Initialize>,
}

impl SessionBuilder {
    /// Returns how this builder's process is started. Returns `None` if that depends on more than the options.
    pub(crate) fn launch(&self) -> Result<Option<Launch>, Error> {
        let options = &self.options;
        let by_file = options.delivery == Some(Delivery::File);
        let goes_on = options.resume.is_some() || options.continue_session == Some(true);
        #[cfg(feature = "store")]
        if self.store.is_some() {
            // A session with a store is claimed before its process starts, so it cannot take over a
            // process.
            return Ok(None);
        }
        if self.transport.is_some() || self.launcher.is_some() || by_file || goes_on {
            return Ok(None);
        }
        check(&self.options, &self.closures)?;
        let mut request = self.first_request()?;
        let has_hooks = request.hooks.take().is_some();
        request.title = None;
        // These settings are sent in calls instead of arguments.
        let mut options = self.options.clone();
        options.session_id = None;
        let model = options.model.take();
        // Only the command line can allow the mode `bypassPermissions`, so this mode remains an
        // argument.
        let is_call = |mode: &mut PermissionMode| *mode != PermissionMode::BypassPermissions;
        let mode = options.permission_mode.take_if(is_call);
        let permission_prompts = self.has_permission_prompts();
        let fixed = Fixed {
            program: claw_transport::discover(&options)?,
            arguments: claw_transport::argv(&options, permission_prompts)?,
            environment: claw_transport::environment(&options),
            cwd: options.cwd.clone(),
            permission_prompts,
            initialize: request,
        };
        options.model.clone_from(&model);
        options.permission_mode = mode.clone().or(options.permission_mode);
        Ok(Some(Launch {
            options,
            fixed,
            model,
            mode,
            has_hooks,
            timeout: self.limits.initialize,
        }))
    }

    /// Sets the ID of the session that the process begins.
    pub(crate) fn session_id(mut self, id: SessionId) -> Self {
        self.options.session_id = Some(id);
        self
    }

    /// Makes the session take over a spare process, within this time.
    pub(crate) fn claim_spare(mut self, spare_process: SpareProcess, within: Duration) -> Self {
        let stderr = spare_process.stderr.clone();
        self.transport = Some(AnyTransport(Box::new(ClaimedConnection {
            pipes: spare_process.pipes,
            stderr,
        })));
        self.is_initialized = true;
        self.limits.initialize = self.limits.initialize.min(within);
        self
    }
}

/// Removes the parts of an `initialize` that only the first one may contain.
pub(super) fn without_first_only(mut request: Box<Initialize>) -> Box<Initialize> {
    request.plugins = None;
    request.mcp_servers = None;
    request.settings = None;
    request.managed_settings = None;
    request.disallowed_tools = None;
    request
}

impl Launch {
    /// Returns the calls that change a process with these settings into one with the settings of `target`. Returns
    /// `None` if calls cannot do that.
    pub(crate) fn changes(&self, target: &Self) -> Option<Vec<ControlRequestBody>> {
        if self.fixed != target.fixed {
            return None;
        }
        let mut changes = Vec::new();
        match (&self.model, &target.model) {
            (ours, theirs) if ours == theirs => {}
            (_, Some(model)) => changes.push(SetModel::new().model(model.clone()).into()),
            // The name of the default model is unknown here, so no call can set it.
            (_, None) => return None,
        }
        match (&self.mode, &target.mode) {
            (ours, theirs) if ours == theirs => {}
            (_, Some(mode)) => changes.push(SetPermissionMode::new(mode.clone()).into()),
            (_, None) => return None,
        }
        Some(changes)
    }

    /// Whether the second `initialize` must register hooks.
    pub(crate) fn has_hooks(&self) -> bool {
        self.has_hooks
    }

    /// Starts a process that begins the session with this ID, and completes the handshake with it.
    pub(crate) async fn start_spare(&self, id: SessionId) -> Result<SpareProcess, Error> {
        let mut options = self.options.clone();
        options.session_id = Some(id.clone());
        let stderr: Arc<OnceLock<StderrFn>> = Arc::default();
        let on_stderr = stderr.clone();
        let transport = Subprocess::new(&options)
            .permission_prompts(self.fixed.permission_prompts)
            .on_stderr(move |line| {
                if let Some(callback) = on_stderr.get() {
                    callback(line);
                }
            });
        let pipes = transport.open().await?;
        let process = pipes.process.clone();
        let greeted = timeout(self.timeout, self.handshake(pipes)).await;
        match greeted {
            Some(Ok(pipes)) => Ok(SpareProcess { pipes, stderr, id }),
            Some(Err(Some(error))) => Err(error),
            // The output has ended, so the process has exited, or is terminated now.
            Some(Err(None)) => {
                process.terminate();
                let exit = process.exited().await;
                Err(process.exit_error(exit).into())
            }
            None => Err(Cause::Timeout {
                what: "initialize".to_owned(),
                after: self.timeout,
                hook: None,
            }
            .into()),
        }
    }

    /// Sends the first `initialize`, and reads up to its response. Fails with `None` if the output ends before the
    /// response.
    async fn handshake(&self, pipes: Pipes) -> Result<Pipes, Option<Error>> {
        let Pipes {
            process,
            reader,
            mut writer,
            ..
        } = pipes;
        let failed = |error: std::io::Error| Some(Error::from(TransportError::from(error)));
        let request = self.fixed.initialize.clone();
        let confirm = Confirm::of(&request);
        let request = ControlRequest::new(
            RequestId::from(FIRST.to_owned()),
            ControlRequestBody::Initialize(request),
        );
        let mut line = Json::new(&request)
            .map_err(|error| Some(Error::bad_request("initialize", error)))?
            .as_raw()
            .to_owned();
        line.push('\n');
        if writer.write_all(line.as_bytes()).await.is_err() || writer.flush().await.is_err() {
            return Err(None);
        }
        let mut reader = BufReader::new(reader);
        loop {
            let mut line = Vec::new();
            let mut limited = (&mut reader).take(LONGEST);
            let read = limited.read_until(b'\n', &mut line).await;
            if read.map_err(failed)? == 0 {
                return Err(None);
            }
            if let Some(answer) = Answered::of(&line) {
                answer.accepts(&confirm).map_err(Some)?;
                return Ok(Pipes::new(reader, writer, process));
            }
        }
    }
}

/// The answer to the first `initialize`.
struct Answered {
    error: Option<String>,
    response: Option<Json>,
}

impl Answered {
    /// Checks that the CLI has confirmed all options that need a confirmation.
    fn accepts(self, confirm: &Confirm) -> Result<(), Error> {
        if let Some(error) = self.error {
            let refused = crate::outcome::error::Refused {
                subtype: "initialize".to_owned(),
                error,
                code: None,
            };
            return Err(Cause::Refused(refused).into());
        }
        if let Some(response) = &self.response {
            is_object(response)?;
        }
        // As in a session, a member with an unexpected form is ignored.
        let info: Option<InitializeResponse> =
            self.response.and_then(|response| response.parse().ok());
        let info = info.as_ref();
        let version = info.and_then(|info| info.claude_code_version.clone());
        if let Some(found) = version.filter(|found| is_too_old(found)) {
            return Err(Cause::CliTooOld { found }.into());
        }
        match confirm.missing(info) {
            Some(option) => Err(Cause::NotTaken { option }.into()),
            None => Ok(()),
        }
    }

    fn of(line: &[u8]) -> Option<Self> {
        let [kind, answer] = members(line, ["type", "response"])?;
        let keys = ["request_id", "error", "response"];
        let [id, error, response] = members(answer?.as_raw().as_bytes(), keys)?;
        let is_answer = kind?.as_str()? == "control_response" && id?.as_str()? == FIRST;
        is_answer.then_some(Self {
            error: error.and_then(|error| Some(error.as_str()?.into_owned())),
            response: response.filter(|response| *response != Json::null()),
        })
    }
}

/// A process that waits for its session. Dropping this value ends the process.
pub(crate) struct SpareProcess {
    pipes: Pipes,
    stderr: Arc<OnceLock<StderrFn>>,
    /// The ID of the session that the process begins.
    pub(crate) id: SessionId,
}

impl SpareProcess {
    pub(crate) fn process(&self) -> &Process {
        &self.pipes.process
    }

    /// Shuts the process down.
    pub(crate) async fn end(self) -> Result<(), TransportError> {
        let process = self.pipes.process.clone();
        // The process exits when its input is closed.
        drop(self.pipes);
        process.shutdown(Shutdown::default()).await?;
        Ok(())
    }
}

/// The connection to a spare process that a session has taken over.
struct ClaimedConnection {
    pipes: Pipes,
    stderr: Arc<OnceLock<StderrFn>>,
}

impl Transport for ClaimedConnection {
    async fn open(self) -> Result<Pipes, TransportError> {
        Ok(self.pipes)
    }

    fn offer_stderr(&mut self, callback: StderrFn) {
        let _ = self.stderr.set(callback);
    }
}
