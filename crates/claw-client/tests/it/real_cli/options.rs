//! What is handed over in `initialize`, or in files, takes effect, and stands in no argument.

use claw_client::Session;
use claw_client::types::control::{McpConnection, PermissionResult};
use claw_client::types::message::SystemInit;
use claw_client::types::options::{
    AgentDefinition, AgentMcpServer, Delivery, McpServerConfig, McpStdioServer, OutputFormat,
    Plugin, Skills,
};
use claw_client::types::{Map, Message, QueryOptions};
use claw_testkit::api::{Api, scenarios};
use claw_testkit::processes;
use serde_json::json;

use super::cli::Cli;
use crate::agent::{all, soon};

/// A server with one tool, whose variable is a secret: it gives it as its version.
fn server(secret: &str) -> McpServerConfig {
    let env: Map<_> = [("MCP_VERSION", secret.to_owned())].into_iter().collect();
    let program = processes::program().unwrap().display().to_string();
    McpStdioServer::new(program)
        .args(vec!["mcp-asking".to_owned()])
        .env(env)
        .into()
}

fn servers(secret: &str) -> Map<McpServerConfig> {
    [("shell", server(secret))].into_iter().collect()
}

async fn connect(options: QueryOptions) -> Session {
    soon(Session::builder(options).connect()).await.unwrap()
}

/// What a turn is run with.
async fn init(session: &Session) -> SystemInit {
    let turn = session.send("What is 2 + 2?").await.unwrap();
    let messages = all(turn).await.unwrap();
    let init = messages.into_iter().find_map(|message| match message {
        Message::SystemInit(init) => Some(*init),
        _ => None,
    });
    init.unwrap()
}

/// What the system shows of the arguments of the CLI and of all that it has started.
fn arguments(cli: &Cli) -> String {
    let all = crate::proc::marked(&super::leftovers::mark(cli)).into_iter();
    let lines = all.map(|pid| processes::arguments(pid).join(" "));
    lines.collect::<Vec<_>>().join("\n")
}

/// In whatever an option can say of it: a key, the variables and headers of MCP servers (an agent's too),
/// settings, prompts.
#[tokio::test]
async fn a_secret_stands_in_no_argument() {
    // Another process of the machine may well know the word of another run.
    let secret = format!("hidden-{}", std::process::id());
    for delivery in [Delivery::Initialize, Delivery::File] {
        let api = Api::start(scenarios::text()).await.unwrap();
        let cli = Cli::new(&api);
        let remote = json!({"type": "http", "url": "http://127.0.0.1:9/mcp",
            "headers": {"Authorization": secret}});
        let mut servers = servers(&secret);
        servers.insert("remote", serde_json::from_value(remote).unwrap());
        let mut agent = AgentDefinition::new("Reviews", secret.clone());
        let own = [("own", server(&secret))].into_iter().collect::<Map<_>>();
        agent.mcp_servers = Some(vec![AgentMcpServer::Inline(own)]);
        let mut options = cli
            .options()
            .mcp_servers(servers)
            .settings(json!({"env": {"OTHER": secret}}))
            .agents([("reviewer", agent)].into_iter().collect::<Map<_>>())
            .output_format(OutputFormat::json_schema(
                json!({"type": "object", "description": secret}),
            ))
            .system_prompt(secret.clone())
            .title(secret.clone())
            .delivery(delivery.clone());
        let env = options.env.get_or_insert_default();
        env.insert("ANTHROPIC_API_KEY", Some(secret.clone()));
        env.insert("ANTHROPIC_CUSTOM_HEADERS", Some(format!("X-Key: {secret}")));
        if delivery == Delivery::Initialize {
            // There is no file for these.
            options = options.managed_settings(json!({"env": {"MORE": secret}}));
        }
        let session = connect(options).await;
        let info = session.info().unwrap();
        let taken = (delivery == Delivery::Initialize).then_some(true);
        assert_eq!(info.mcp_servers_applied, taken);
        assert_eq!(info.settings_applied, taken);
        // The server got its variable all the same, and runs.
        let init = init(&session).await;
        assert!(
            init.tools.iter().any(|tool| tool == "mcp__shell__ask"),
            "{init:?}"
        );
        let status = soon(session.mcp_status()).await.unwrap();
        let mut servers = status.mcp_servers.iter();
        let shell = servers.find(|server| server.name == "shell").unwrap();
        assert_eq!(shell.status, McpConnection::Connected);
        assert_eq!(shell.server_info.as_ref().unwrap().version, secret);
        let arguments = arguments(&cli);
        assert!(
            arguments.contains("--input-format=stream-json"),
            "{arguments}"
        );
        assert!(arguments.contains("mcp-asking"), "{arguments}");
        assert!(!arguments.contains(&secret), "{arguments}");
        soon(session.close()).await.unwrap();
    }
}

#[tokio::test]
async fn settings_and_refused_tools_take_effect() {
    for delivery in [Delivery::Initialize, Delivery::File] {
        let api = Api::start(scenarios::text()).await.unwrap();
        let cli = Cli::new(&api);
        let plain = connect(cli.options()).await;
        let all = init(&plain).await.tools;
        for tool in ["WebFetch", "NotebookEdit"] {
            assert!(all.iter().any(|known| known == tool), "{all:?}");
        }
        soon(plain.close()).await.unwrap();
        let options = cli
            .options()
            .settings(json!({"permissions": {"deny": ["WebFetch"]}}))
            .disallowed_tools(vec!["NotebookEdit".to_owned()])
            .delivery(delivery);
        let session = connect(options).await;
        let tools = init(&session).await.tools;
        assert_eq!(tools.len() + 2, all.len(), "{tools:?}");
        for tool in ["WebFetch", "NotebookEdit"] {
            assert!(!tools.iter().any(|known| known == tool), "{tools:?}");
        }
        soon(session.close()).await.unwrap();
    }
}

#[tokio::test]
async fn managed_settings_take_effect() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let managed = json!({"permissions": {"deny": ["WebFetch"]}});
    let session = connect(cli.options().managed_settings(managed)).await;
    assert_eq!(session.info().unwrap().managed_settings_applied, Some(true));
    let tools = init(&session).await.tools;
    assert!(!tools.iter().any(|tool| tool == "WebFetch"), "{tools:?}");
    soon(session.close()).await.unwrap();
}

#[tokio::test]
async fn a_plugin_is_loaded() {
    for delivery in [Delivery::Initialize, Delivery::File] {
        let api = Api::start(scenarios::text()).await.unwrap();
        let cli = Cli::new(&api);
        let plugin = cli.folder().join("greeter");
        std::fs::create_dir_all(plugin.join(".claude-plugin")).unwrap();
        std::fs::create_dir_all(plugin.join("commands")).unwrap();
        let manifest = json!({"name": "greeter", "description": "Greets.", "version": "1.0.0"});
        std::fs::write(
            plugin.join(".claude-plugin/plugin.json"),
            manifest.to_string(),
        )
        .unwrap();
        std::fs::write(plugin.join("commands/hello.md"), "Say hello.\n").unwrap();
        let plugin = Plugin::local(plugin.display().to_string());
        let session = connect(cli.options().plugins([plugin]).delivery(delivery)).await;
        let init = init(&session).await;
        let names: Vec<_> = init.plugins.iter().map(|plugin| &plugin.name).collect();
        assert!(names.iter().any(|name| *name == "greeter"), "{names:?}");
        assert!(
            init.slash_commands
                .iter()
                .any(|name| name == "greeter:hello"),
            "{:?}",
            init.slash_commands
        );
        soon(session.close()).await.unwrap();
    }
}

#[tokio::test]
async fn an_output_format_gives_its_tool() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let schema = json!({"type": "object", "properties": {"sum": {"type": "number"}}});
    let options = cli
        .options()
        .output_format(OutputFormat::json_schema(schema));
    let session = connect(options).await;
    let tools = init(&session).await.tools;
    assert!(
        tools.iter().any(|tool| tool == "StructuredOutput"),
        "{tools:?}"
    );
    soon(session.close()).await.unwrap();
}

#[tokio::test]
async fn agents_titles_and_skills_are_taken() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let agents = json!({"helper": {"description": "Helps.", "prompt": "Help.",
        "model": "inherit", "effort": "low", "maxTurns": 2}});
    let mut options = cli
        .options()
        .title("Sums")
        .skills(Skills::List(Vec::new()))
        .plan_mode_instructions("Plan well.")
        .verbatim_prompts(true);
    options.agents = serde_json::from_value(agents).unwrap();
    let session = connect(options).await;
    let init = init(&session).await;
    let agents = init.agents.unwrap();
    assert!(agents.iter().any(|agent| agent == "helper"), "{agents:?}");
    // Word for word: no command is looked for.
    let result = soon(session.send("/context").await.unwrap().result())
        .await
        .unwrap();
    assert_eq!(result.text(), "Two and two make 4.");
    soon(session.close()).await.unwrap();
}

#[tokio::test]
async fn a_query_waits_until_its_options_are_confirmed() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let options = cli.options().disallowed_tools(vec!["WebFetch".to_owned()]);
    let messages = soon(claw_client::query("What is 2 + 2?", options))
        .await
        .unwrap();
    let messages = all(messages).await.unwrap();
    assert!(messages.iter().any(Message::is_result));
}

#[tokio::test]
async fn a_callback_and_a_tool_for_permissions_start_nothing() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let options = cli.options().permission_prompt_tool_name("mcp__shell__ask");
    let builder = Session::builder(options).can_use_tool(|_| async { PermissionResult::allow() });
    let error = soon(builder.connect()).await.unwrap_err();
    assert!(error.is_launch_failure(), "{error}");
    let dialogs = cli.options().supported_dialog_kinds(vec!["x".to_owned()]);
    let error = soon(Session::builder(dialogs).connect()).await.unwrap_err();
    assert!(error.transport().is_some(), "{error}");
}
