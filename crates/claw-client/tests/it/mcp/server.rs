//! A server that does what tests need.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use claw_client::rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult, ListPromptsResult,
    ListToolsResult, NumberOrString, PaginatedRequestParams, PingRequest,
    ProgressNotificationParam, ProgressToken, Prompt, PromptMessage, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ResourceContents, Role, ServerCapabilities,
    ServerConfig, ServerRequest, Tool,
};
use claw_client::rmcp::service::RequestContext;
use claw_client::rmcp::{RoleServer, ServerHandler, ServiceError};
use serde_json::json;
use tokio::sync::{mpsc, watch};

/// What happens in the server, for a test to look at.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// Handlers that are at work.
    pub(crate) at_work: watch::Sender<usize>,
    /// Handlers that saw that they are to stop.
    pub(crate) told: AtomicUsize,
    /// There is a second tool.
    grown: AtomicBool,
}

impl Facts {
    /// Waits until so many handlers are at work.
    pub(crate) async fn at_work(&self, wanted: usize) {
        let mut at_work = self.at_work.subscribe();
        let reached = at_work.wait_for(|at_work| *at_work == wanted);
        reached.await.unwrap();
    }
}

/// Tools: `add`; `grow`, after which there is `later`; `wait` and `stay`, which never answer;
/// `panic`; `ping` and `elicit`, which ask the client;
/// `progress`.
#[derive(Clone)]
pub(crate) struct Bench {
    pub(crate) facts: Arc<Facts>,
    /// The names of tools that were called.
    calls: mpsc::UnboundedSender<String>,
}

impl Bench {
    pub(crate) fn new() -> (Self, mpsc::UnboundedReceiver<String>) {
        let (calls, called) = mpsc::unbounded_channel();
        let facts = Arc::default();
        (Self { facts, calls }, called)
    }

    async fn call(
        &self,
        asked: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<String, ErrorData> {
        let peer = &context.peer;
        let sent = |error: ServiceError| ErrorData::internal_error(error.to_string(), None);
        match &*asked.name {
            "add" => {
                let of = |name: &str| asked.arguments.as_ref()?.get(name)?.as_i64();
                let sum = of("a").unwrap_or_default() + of("b").unwrap_or_default();
                Ok(format!("The sum is {sum}"))
            }
            "grow" => {
                self.facts.grown.store(true, Ordering::SeqCst);
                peer.notify_tool_list_changed().await.map_err(sent)?;
                Ok("grown".to_owned())
            }
            "later" => Ok("at last".to_owned()),
            "wait" => {
                context.ct.cancelled().await;
                self.facts.told.fetch_add(1, Ordering::SeqCst);
                Ok("stopped".to_owned())
            }
            "stay" => std::future::pending().await,
            "panic" => panic!("on purpose"),
            "ping" => {
                let ping = ServerRequest::PingRequest(PingRequest::default());
                let answer = peer.send_request(ping).await.map_err(sent)?;
                Ok(format!("{answer:?}"))
            }
            "elicit" => {
                let params = json!({"message": "Who?", "requestedSchema": {"type": "object"}});
                let ask = CustomRequest::new("elicitation/create", Some(params));
                let answer = peer.send_request(ServerRequest::CustomRequest(ask)).await;
                Ok(format!("{answer:?}"))
            }
            "progress" => {
                let token = ProgressToken(NumberOrString::Number(7));
                let half = ProgressNotificationParam::new(token, 0.5);
                peer.notify_progress(half).await.map_err(sent)?;
                Ok("done".to_owned())
            }
            other => Err(ErrorData::invalid_params(format!("no tool {other}"), None)),
        }
    }
}

struct AtWork(Arc<Facts>);

impl Drop for AtWork {
    fn drop(&mut self) {
        self.0.at_work.send_modify(|at_work| *at_work -= 1);
    }
}

impl ServerHandler for Bench {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_prompts()
            .build();
        ServerConfig::new(capabilities)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = json!({"type": "object"});
        let schema = schema.as_object().unwrap();
        let mut names = vec![
            "add", "grow", "wait", "stay", "panic", "ping", "elicit", "progress",
        ];
        if self.facts.grown.load(Ordering::SeqCst) {
            names.push("later");
        }
        let tools = names.into_iter();
        let tools = tools.map(|name| Tool::new(name, format!("It can {name}"), schema.clone()));
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        asked: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.facts.at_work.send_modify(|at_work| *at_work += 1);
        let _at_work = AtWork(self.facts.clone());
        // A test that does not look is a test all the same.
        let _ = self.calls.send(asked.name.to_string());
        let said = self.call(asked, context).await?;
        Ok(CallToolResult::success(vec![ContentBlock::text(said)]).into())
    }

    async fn read_resource(
        &self,
        asked: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        assert_ne!(asked.uri, "memo:panic", "on purpose");
        let contents = ResourceContents::text("remember", asked.uri);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let greet = Prompt::new("greet", Some("Greets"), None);
        Ok(ListPromptsResult::with_all_items(vec![greet]))
    }

    async fn get_prompt(
        &self,
        asked: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let said = format!("Please {}.", asked.name);
        let messages = vec![PromptMessage::new_text(Role::User, said)];
        Ok(GetPromptResult::new(messages).into())
    }
}
