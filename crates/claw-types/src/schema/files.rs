//! The files under `schemas/`.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::open::open;
use crate::control::{
    BackgroundTasksResponse, CancelAsyncMessageResponse, ClaimSessionResponse, ElicitationResponse,
    ExportConversationResponse, FileSuggestionsResponse, GenerateSessionTitleResponse,
    GetBinaryVersionResponse, GetContextUsageResponse, GetHooksListingResponse,
    GetMemoryDialogResponse, GetPlanResponse, GetSandboxDialogResponse, GetSessionCostResponse,
    GetSettingsResponse, GetSkillsDialogResponse, GetStatusResponse, GetTaskOutputResponse,
    GetUsageResponse, GetWorkspaceDiffResponse, InitializeResponse, InterruptResponse,
    ListModelsResponse, ListPermissionRulesResponse, McpCallResponse, McpMessageResponse,
    McpReadResourceResponse, McpSetServersResponse, McpStatusResponse, MessageRatedResponse,
    PermissionResult, ReadFileResponse, RegisterRepoRootResponse, ReloadOutputStylesResponse,
    ReloadPluginsResponse, ReloadSkillsResponse, RewindFilesResponse, SetCwdResponse,
    SetMcpPermissionModeOverrideResponse, SetModelResponse, SetPermissionModeResponse,
    SideQuestionResponse, SubmitFeedbackResponse, UserDialogResponse,
};
use crate::dialect::Dialect;
use crate::hook::{HookInput, HookOutput};
use crate::settings::{ConfigScope, ResolvedSettings};
use crate::tool::{self, McpOutput};
use crate::transcript::{Entry, SessionInfo, SessionMessage, SessionSummaryEntry};
use crate::wire::Union;
use crate::{Message, QueryOptions, StdinMessage, StdoutMessage};

/// The version of the schemas, apart from that of the crates: raised when a definition changes.
const VERSION: &str = "0.1.0";
/// The CLI that they describe.
const CLI_VERSION: &str = "2.1.329";

/// The schema files, by their path under `schemas/`.
///
/// `stdout`, `stdin`, `options`, `hooks`, `tools`, `transcript` (a line of a session's file) and `dialect`
/// (older forms of a line, and today's) are open, for validation, each alone; `codegen/claw` is closed, for code generation, with every definition
/// once; `meta` says what they describe.
pub fn files() -> Vec<(&'static str, Value)> {
    vec![
        ("codegen/claw.schema.json", bundle()),
        ("dialect.schema.json", validation::<Dialect>("dialect")),
        ("hooks.schema.json", hooks()),
        ("meta.json", meta()),
        ("options.schema.json", validation::<QueryOptions>("options")),
        ("stdin.schema.json", validation::<StdinMessage>("stdin")),
        ("stdout.schema.json", validation::<StdoutMessage>("stdout")),
        ("tools.schema.json", tools()),
        ("transcript.schema.json", validation::<Entry>("transcript")),
    ]
}

fn generator() -> SchemaGenerator {
    SchemaSettings::draft2020_12().into_generator()
}

fn validation<T: JsonSchema>(name: &str) -> Value {
    let mut root = generator().into_root_schema_for::<T>().to_value();
    open(&mut root);
    identify(&mut root, name);
    root
}

/// What hooks are told, and what they say.
fn hooks() -> Value {
    let mut generator = generator();
    let roots = [
        generator.subschema_for::<HookInput>(),
        generator.subschema_for::<HookOutput>(),
    ];
    let mut root = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Hooks",
        "description": "What a hook is told, and what it says.",
        "anyOf": roots,
        "$defs": generator.take_definitions(true)
    });
    open(&mut root);
    identify(&mut root, "hooks");
    root
}

/// What tools are given and give, with the tool's name beside it: the three keys by which hooks know a
/// use of a tool.
fn tools() -> Value {
    let mut generator = generator();
    let known = tool::BUILT_IN.iter().zip(tool::schemas(&mut generator));
    let mut known: Vec<_> = known
        .map(|(tool, [input, output])| {
            let names: Vec<_> = [tool.name].iter().chain(tool.aliases).copied().collect();
            json!({
                "if": { "properties": { "tool_name": { "enum": names } } },
                "then": { "properties": {
                    "tool_input": input,
                    "tool_response": {
                        "description": "What it gave; text where it failed.",
                        "anyOf": [output, { "type": "string" }]
                    }
                } }
            })
        })
        .collect();
    known.push(json!({
        "if": { "properties": { "tool_name": { "pattern": "^mcp__.*__" } } },
        "then": { "properties": { "tool_response": generator.subschema_for::<McpOutput>() } }
    }));
    let mut root = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Tools",
        "description": "A use of a tool: what the built-in ones are given, and what they give.",
        "type": "object",
        "required": ["tool_name"],
        "properties": { "tool_name": { "type": "string" } },
        "allOf": known,
        "$defs": generator.take_definitions(true)
    });
    open(&mut root);
    identify(&mut root, "tools");
    root
}

/// Answers to control requests. On the line they are any JSON, since only the question says which
/// of them it is; so they stand apart.
fn answers(generator: &mut SchemaGenerator) {
    macro_rules! define {
        ($($answer:ty)+) => { $(drop(generator.subschema_for::<$answer>());)+ };
    }
    define!(
        BackgroundTasksResponse CancelAsyncMessageResponse ClaimSessionResponse
        ElicitationResponse ExportConversationResponse FileSuggestionsResponse
        GenerateSessionTitleResponse GetBinaryVersionResponse GetContextUsageResponse
        GetHooksListingResponse GetMemoryDialogResponse GetPlanResponse
        GetSandboxDialogResponse GetSessionCostResponse GetSettingsResponse
        GetSkillsDialogResponse GetStatusResponse GetTaskOutputResponse
        GetUsageResponse GetWorkspaceDiffResponse HookOutput
        InitializeResponse InterruptResponse ListModelsResponse
        ListPermissionRulesResponse McpCallResponse McpMessageResponse
        McpReadResourceResponse McpSetServersResponse McpStatusResponse
        MessageRatedResponse PermissionResult ReadFileResponse
        RegisterRepoRootResponse ReloadOutputStylesResponse ReloadPluginsResponse
        ReloadSkillsResponse RewindFilesResponse SetCwdResponse
        SetMcpPermissionModeOverrideResponse SetModelResponse SetPermissionModeResponse
        SideQuestionResponse SubmitFeedbackResponse UserDialogResponse
    );
}

/// What programs exchange that keep sessions. On no line, so it stands apart as well.
fn sessions(generator: &mut SchemaGenerator) {
    drop(generator.subschema_for::<SessionInfo>());
    drop(generator.subschema_for::<SessionMessage>());
    drop(generator.subschema_for::<SessionSummaryEntry>());
}

fn bundle() -> Value {
    let mut generator = generator();
    let roots = [
        generator.subschema_for::<StdoutMessage>(),
        generator.subschema_for::<StdinMessage>(),
        generator.subschema_for::<QueryOptions>(),
        generator.subschema_for::<Entry>(),
    ];
    answers(&mut generator);
    // On no line: what an SDK hands out.
    drop(generator.subschema_for::<ResolvedSettings>());
    drop(generator.subschema_for::<ConfigScope>());
    sessions(&mut generator);
    tool::schemas(&mut generator);
    drop(generator.subschema_for::<McpOutput>());
    let mut root = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Claw",
        "description": "Every definition of the Claude Code stream-json protocol, for code generation.",
        "oneOf": roots,
        "$defs": generator.take_definitions(true)
    });
    identify(&mut root, "codegen");
    root
}

fn identify(root: &mut Value, name: &str) {
    root["$id"] = format!("urn:claw:schema:{name}:{VERSION}").into();
    root["x-schema-version"] = VERSION.into();
    root["x-cli-version"] = CLI_VERSION.into();
}

fn meta() -> Value {
    let mut kinds = Vec::new();
    kinds.extend(kinds_of::<StdoutMessage>("stdout"));
    kinds.extend(kinds_of::<Message>("stdout"));
    kinds.extend(kinds_of::<StdinMessage>("stdin"));
    kinds.extend(kinds_of::<Entry>("transcript"));
    let tools: Vec<_> = tool::BUILT_IN
        .iter()
        .map(|tool| {
            json!({
                "name": tool.name,
                "aliases": tool.aliases,
                "input": tool.input,
                "output": tool.output
            })
        })
        .collect();
    json!({
        "schemaVersion": VERSION,
        "cliVersion": CLI_VERSION,
        "kinds": kinds,
        "tools": tools
    })
}

/// The kinds of a union, with their direction.
fn kinds_of<U: Union>(direction: &str) -> Vec<Value> {
    let kind = |tags: &&[(&str, &str)]| {
        let mut kind: Map<_, _> = tags
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).into()))
            .collect();
        kind.insert("direction".to_owned(), direction.into());
        Value::Object(kind)
    };
    U::TABLE.iter().map(kind).collect()
}
