//! Describes a tool use in one line.

use claw_types::tool::ToolInput;
use claw_types::{Json, Map};

use crate::text::{one_line, short_path};

/// A description of a tool use for people, such as `Bash(go test ./...)`, `Glob(pattern: "*.rs")` or
/// `Update(.../file.go)`.
///
/// ```
/// use claw_types::Json;
/// use claw_view::ToolDisplay;
///
/// let input = Json::from(serde_json::json!({"file_path": "/path/to/file.go"}));
/// let display = ToolDisplay::of("Read", &input);
/// assert_eq!(display.text(), "Read(.../file.go)");
/// assert_eq!(display.full(), "Read(/path/to/file.go)");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDisplay {
    name: String,
    argument: Argument,
}

/// The text in the parentheses.
#[derive(Debug, Clone, PartialEq)]
enum Argument {
    /// No argument, and no parentheses.
    None,
    /// Dots, which replace an argument that is too long for one line.
    Dots,
    Text(String),
    Path(String),
    /// Several arguments, each with its name and value.
    Named(Vec<(String, Json)>),
}

impl ToolDisplay {
    /// Describes a tool use from the name and the input of the tool. If the input does not have the tool's input type,
    /// it is shown as it was received.
    pub fn of(tool: &str, input: &Json) -> Self {
        match ToolInput::of(tool, input) {
            Ok(known) => Self::of_input(&known),
            Err(_) => Self::named(tool, input),
        }
    }

    /// Describes a tool use from its typed input, which includes the name of the tool.
    pub fn of_input(input: &ToolInput) -> Self {
        use ToolInput as T;
        let none = || String::new();
        let (name, argument) = match input {
            T::Agent(agent) => ("Agent", text(&agent.description)),
            T::Artifact(artifact) => {
                let action = artifact
                    .action
                    .as_ref()
                    .map_or("create", |action| action.as_str());
                ("Artifact", text(action))
            }
            T::AskUserQuestion(ask) => {
                let first = ask.questions.first();
                (
                    "AskUserQuestion",
                    text(first.map_or("", |first| &first.question)),
                )
            }
            T::Bash(bash) => ("Bash", text(&bash.command)),
            T::ClaudeDesign(design) => ("ClaudeDesign", text(&design.operation)),
            T::CronCreate(cron) => (
                "CronCreate",
                text(&format!("{}: {}", cron.cron, cron.prompt)),
            ),
            T::CronDelete(cron) => ("CronDelete", text(&cron.id)),
            T::CronList(_) => ("CronList", Argument::None),
            T::Edit(edit) => ("Update", path(&edit.file_path)),
            T::EnterPlanMode(_) => ("EnterPlanMode", Argument::None),
            T::EnterWorktree(tree) => {
                let place = tree.name.clone().or_else(|| tree.path.clone());
                ("EnterWorktree", text(&place.unwrap_or_else(none)))
            }
            T::ExitPlanMode(_) => ("ExitPlanMode", Argument::None),
            T::ExitWorktree(tree) => ("ExitWorktree", text(tree.action.as_str())),
            T::Glob(glob) => ("Glob", one("pattern", &glob.pattern)),
            T::Grep(grep) => ("Grep", one("pattern", &grep.pattern)),
            T::ListMcpResources(list) => {
                ("ListMcpResources", optional("server", list.server.as_ref()))
            }
            T::Monitor(monitor) => {
                let socket = || monitor.ws.as_ref().map(|ws| ws.url.clone());
                let what = monitor.command.clone().or_else(socket);
                (
                    "Monitor",
                    text(&what.unwrap_or_else(|| monitor.description.clone())),
                )
            }
            T::MultiEdit(edit) => ("MultiEdit", path(&edit.file_path)),
            T::NotebookEdit(edit) => ("NotebookEdit", path(&edit.notebook_path)),
            T::OfferChromeSetup(_) => ("OfferChromeSetup", Argument::None),
            T::Projects(projects) => {
                let what = projects.path.as_ref().or(projects.query.as_ref());
                let what = what.map_or_else(none, |what| format!(" {what}"));
                ("Projects", text(&format!("{}{what}", projects.method)))
            }
            T::ProposeSkills(_) => ("ProposeSkills", Argument::Dots),
            T::PushNotification(push) => ("PushNotification", text(&push.message)),
            T::Read(read) => ("Read", path(&read.file_path)),
            T::ReadMcpResource(read) => ("ReadMcpResource", text(&read.uri)),
            T::ReadMcpResourceDir(read) => ("ReadMcpResourceDir", text(&read.uri)),
            T::ReadNotifications(_) => ("ReadNotifications", Argument::None),
            T::RefreshMcpTools(refresh) => (
                "RefreshMcpTools",
                optional("server", refresh.server.as_ref()),
            ),
            T::RemoteTrigger(trigger) => ("RemoteTrigger", text(trigger.action.as_str())),
            T::ReportFindings(_) => ("ReportFindings", Argument::Dots),
            T::ScheduleWakeup(wakeup) => (
                "ScheduleWakeup",
                text(wakeup.reason.as_deref().unwrap_or_default()),
            ),
            T::SendFeedback(feedback) => ("SendFeedback", text(&feedback.title)),
            T::SetGoal(goal) => ("SetGoal", text(&goal.condition)),
            T::ShowOnboardingRolePicker(_) => ("ShowOnboardingRolePicker", Argument::None),
            T::TaskCreate(task) => ("TaskCreate", text(&task.subject)),
            T::TaskGet(task) => ("TaskGet", text(&task.task_id)),
            T::TaskList(_) => ("TaskList", Argument::None),
            T::TaskStop(task) => {
                let id = task.task_id.as_ref().or(task.shell_id.as_ref());
                ("TaskStop", text(id.map_or("", |id| id)))
            }
            T::TaskUpdate(task) => {
                let to = task
                    .status
                    .as_ref()
                    .map_or_else(none, |status| format!(": {status}"));
                ("TaskUpdate", text(&format!("{}{to}", task.task_id)))
            }
            T::TodoWrite(_) => ("TodoWrite", Argument::Dots),
            T::WebFetch(fetch) => ("WebFetch", text(&fetch.url)),
            T::WebSearch(search) => ("WebSearch", one("query", &search.query)),
            T::Workflow(workflow) => {
                let named = workflow.title.as_ref().or(workflow.name.as_ref());
                let named = named.or(workflow.description.as_ref());
                ("Workflow", named.map_or(Argument::Dots, |name| text(name)))
            }
            T::Write(write) => ("Write", path(&write.file_path)),
            T::Mcp(mcp) => return Self::mcp(&mcp.server, &mcp.tool, &mcp.input),
            T::Unknown(other) => return Self::named(&other.tool, &other.input),
            // claw-types has a type for this tool's input, but this function does not describe it. So all arguments are
            // shown.
            other => {
                return Self::named(
                    &other.tool_name(),
                    &Json::new(other).unwrap_or_else(|_| Json::null()),
                );
            }
        };
        let name = name.to_owned();
        Self { name, argument }
    }

    /// Describes the use of a tool of an MCP server, such as `calculator: add(a: 1, b: 2)`.
    pub fn mcp(server: &str, tool: &str, input: &Json) -> Self {
        Self::named(&format!("{server}: {tool}"), input)
    }

    /// Describes a tool use from the name of the tool alone. Use this function while the input is still unknown.
    pub fn unnamed_input(tool: &str) -> Self {
        let mut display = Self::of(tool, &Json::null());
        if let Ok(ToolInput::Mcp(mcp)) = ToolInput::of(tool, &Json::null()) {
            display.name = format!("{}: {}", mcp.server, mcp.tool);
        }
        if tool == "Edit" {
            "Update".clone_into(&mut display.name);
        }
        display.argument = Argument::None;
        display
    }

    fn named(name: &str, input: &Json) -> Self {
        let pairs: Map<Json> = input.parse().unwrap_or_default();
        let pairs: Vec<_> = pairs
            .iter()
            .map(|(name, value)| (name.to_owned(), value.clone()))
            .collect();
        let argument = if pairs.is_empty() {
            Argument::None
        } else {
            Argument::Named(pairs)
        };
        Self {
            name: one_line(name),
            argument,
        }
    }

    /// Returns the display name of the tool, such as `Update` for `Edit`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the tool use in one line. Long arguments and paths are shortened, and control characters are replaced.
    pub fn text(&self) -> String {
        let argument = match &self.argument {
            Argument::None => return self.name.clone(),
            Argument::Dots => "...".to_owned(),
            Argument::Text(text) => one_line(text),
            Argument::Path(path) => one_line(&short_path(path)),
            Argument::Named(pairs) => one_line(&list(pairs)),
        };
        format!("{}({argument})", self.name)
    }

    /// Returns the tool use in full. The argument is complete and unchanged.
    pub fn full(&self) -> String {
        let argument = match &self.argument {
            Argument::None => return self.name.clone(),
            Argument::Dots => "...".to_owned(),
            Argument::Text(text) | Argument::Path(text) => text.clone(),
            Argument::Named(pairs) => list(pairs),
        };
        format!("{}({argument})", self.name)
    }
}

impl std::fmt::Display for ToolDisplay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text())
    }
}

fn text(text: &str) -> Argument {
    if text.is_empty() {
        Argument::None
    } else {
        Argument::Text(text.to_owned())
    }
}

fn path(path: &str) -> Argument {
    Argument::Path(path.to_owned())
}

fn one(name: &str, value: &str) -> Argument {
    Argument::Named(vec![(
        name.to_owned(),
        Json::from(serde_json::Value::from(value)),
    )])
}

fn optional(name: &str, value: Option<&String>) -> Argument {
    value.map_or(Argument::None, |value| one(name, value))
}

fn list(pairs: &[(String, Json)]) -> String {
    let pairs = pairs
        .iter()
        .map(|(name, value)| match value.parse::<String>() {
            // Quotes inside the text are not escaped, because a person reads the text and no program parses it.
            Ok(text) => format!("{name}: \"{text}\""),
            Err(_) => format!("{name}: {}", value.as_raw()),
        });
    pairs.collect::<Vec<_>>().join(", ")
}
