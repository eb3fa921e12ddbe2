//! A server with a scripted agent and the real CLI, and routes by which `page.mjs` directs them.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};

use axum::extract::{Path, State};
use axum::routing::post;
use axum::{Json, Router};
use claw_client::Session;
use claw_client::types::{Map, QueryOptions};
use claw_server::{NewUser, Project, PublicUrl, Role, Server, Users};
use claw_sessions::Sessions;
use claw_testkit::agent::{Agent, Script};
use claw_testkit::api::Api;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;

use crate::{
    agents, answers, back, changes, comments, finish, forms, offers, outbox, reading, scripts,
    trust, usage,
};

/// The folders of projects: a scripted agent in the first two, the real CLI in the others. There are more for
/// [`trust::agents`].
const PROJECTS: &[&str] = &["claw", "shop", "real", "orchard", "grove"];

pub(crate) struct Stage {
    folder: TempDir,
    agent: Agent,
    /// The agents of `trust.mjs`, by the names of their projects.
    trusted: HashMap<&'static str, Agent>,
    api: Api,
    server: OnceLock<Server>,
    /// The users, by the names of their roles, and their tokens.
    users: HashMap<&'static str, String>,
    pub(crate) address: SocketAddr,
}

impl Stage {
    /// Starts the server, and the director's routes. Gives the address of these.
    pub(crate) async fn start() -> (Arc<Self>, SocketAddr) {
        let folder = tempfile::tempdir().unwrap();
        for project in PROJECTS {
            std::fs::create_dir(folder.path().join(project)).unwrap();
        }
        let mut trusted = HashMap::new();
        let more = offers::agents().into_iter();
        let more = more.chain(back::agents()).chain(forms::agents());
        let more = more.chain(usage::agents()).chain(agents::agents());
        let more = more.chain(answers::agents(folder.path()));
        let more = more
            .chain(comments::agents())
            .chain(reading::agents())
            .chain(outbox::agents());
        for (project, script) in trust::agents(folder.path()).into_iter().chain(more) {
            std::fs::create_dir(folder.path().join(project)).unwrap();
            trusted.insert(project, Agent::new(script));
        }
        std::fs::write(folder.path().join("numbered/clock.txt"), trust::file()).unwrap();
        offers::prepare(folder.path());
        changes::prepare(folder.path());
        let users = folder.path().join("users.json");
        let users = Role::ALL.map(|role| {
            let token = Users::add(&users, NewUser::new(role.name(), role)).unwrap();
            (role.name(), token.expose().to_owned())
        });
        let users = HashMap::from(users);
        finish::prepare(folder.path());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut rules = back::rules(folder.path());
        rules.extend(changes::rules(folder.path()));
        rules.extend(finish::rules(folder.path()));
        rules.extend(agents::rules());
        let api = scripts::api(rules);
        let api = Api::start(api).await.unwrap();
        let stage = Arc::new(Self {
            folder,
            agent: Agent::new(scripts::conversation()),
            trusted,
            api,
            server: OnceLock::new(),
            users,
            address: listener.local_addr().unwrap(),
        });
        stage.serve(listener);
        let director = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = director.local_addr().unwrap();
        let router = Router::new()
            .route("/{what}", post(direct))
            .with_state(stage.clone());
        tokio::spawn(async move { axum::serve(director, router).await });
        (stage, address)
    }

    fn serve(&self, listener: TcpListener) {
        let root = self.folder.path().to_owned();
        let mut builder = Server::builder()
            .prices(usage::prices())
            .users(Users::open(root.join("users.json")).unwrap())
            .gh(finish::gh(&root))
            .sessions(Sessions::new(root.join("config")))
            .device_url(PublicUrl::new("http://192.168.1.5:8000").unwrap());
        for project in PROJECTS.iter().chain(self.trusted.keys()) {
            builder = builder.project(Project::new(root.join(project)).unwrap());
        }
        let (agent, env) = (self.agent.clone(), self.api.env());
        let trusted = self.trusted.clone();
        let shop = Agent::new(Script::reply("Apples and pears."));
        let server = builder.session(move |options| {
            let place = options.cwd.clone().unwrap_or_default();
            let project = place.file_name().and_then(|name| name.to_str());
            if let Some(agent) = project.and_then(|project| trusted.get(project)) {
                return Session::builder(options).transport(agent.clone());
            }
            match project {
                Some("claw") => Session::builder(options).transport(agent.clone()),
                Some("shop") => Session::builder(options).transport(shop.clone()),
                _ => Session::builder(real(options, &root, &env)),
            }
        });
        let server = server.build().unwrap();
        let serving = server.clone();
        tokio::spawn(async move {
            serving
                .serve(listener, std::future::pending())
                .await
                .unwrap();
        });
        self.server.set(server).unwrap();
    }
}

/// The real CLI, with a home of its own and the scripted API alone.
pub(crate) fn real(
    options: QueryOptions,
    root: &std::path::Path,
    env: &[(&'static str, String)],
) -> QueryOptions {
    let mut all = Map::default();
    for (name, value) in env {
        all.insert(*name, Some(value.clone()));
    }
    let path = |name: &str| Some(root.join(name).display().to_string());
    all.insert("HOME", path(""));
    all.insert("CLAUDE_CONFIG_DIR", path("config"));
    options
        .env(all)
        .path_to_claude_code_executable(claw_testkit::claude().unwrap())
}

/// What the script wants.
async fn direct(
    State(stage): State<Arc<Stage>>,
    Path(what): Path<String>,
    Json(body): Json<Value>,
) -> Json<Value> {
    let text = body.as_str().unwrap_or_default();
    Json(match &*what {
        "open" => {
            stage.agent.gates().open(text);
            stage.api.gates().open(text);
            for agent in stage.trusted.values() {
                agent.gates().open(text);
            }
            Value::Null
        }
        "login" => {
            let path = stage.users.get(text).map(|token| format!("/login/{token}"));
            json!(path.unwrap_or_else(|| stage.server.get().unwrap().login_path()))
        }
        "received" => {
            let agent = stage.trusted.get(text).unwrap_or(&stage.agent);
            Value::from(agent.received())
        }
        "asked" => {
            let asked = stage.api.requests().into_iter().rev();
            let of_prompt = |body: &Value| body.to_string().contains("Two documents");
            asked
                .map(|asked| asked.body)
                .find(of_prompt)
                .unwrap_or_default()
        }
        "asked-of" => {
            let asked = stage.api.requests().into_iter().rev();
            let mut bodies = asked.map(|asked| asked.body.to_string());
            json!(bodies.find(|body| body.contains(text)))
        }
        "poem" => {
            let poem = stage.folder.path().join(back::POEM);
            if !text.is_empty() {
                std::fs::write(&poem, text).unwrap();
            }
            json!(std::fs::read_to_string(poem).ok())
        }
        "commented" => {
            comments::prepare(stage.folder.path());
            Value::Null
        }
        "clock" => {
            comments::write_clock(stage.folder.path(), text);
            Value::Null
        }
        "transcripts" => {
            usage::write_transcripts(stage.folder.path());
            Value::Null
        }
        "grove-main" => {
            finish::commit_in_main(stage.folder.path(), text);
            Value::Null
        }
        "grove-resolve" => {
            finish::resolve(stage.folder.path(), text);
            Value::Null
        }
        "grove-remote" => {
            finish::remote(stage.folder.path(), text);
            Value::Null
        }
        "grove-tree" => {
            finish::write_in_tree(stage.folder.path(), text);
            Value::Null
        }
        "grove" => json!(finish::apples(stage.folder.path())),
        "made" => json!(stage.folder.path().join("real/made").exists()),
        _ => panic!("nobody can {what}"),
    })
}
