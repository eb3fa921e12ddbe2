//! Compares the shipped prices with the costs that the real CLI computes.
//!
//! A scripted API answers the CLI's prompts with chosen usages, for each model of the table. The CLI's total cost must
//! grow with each answer by the amount that the table gives for its tokens. The prices were first measured in the same
//! way: a case with only one kind of token costs the price of that kind.

use claw_client::{QueryOptions, Session};
use claw_sessions::{Prices, Terms, Tokens};
use claw_testkit::Block;
use claw_testkit::api::{Answer, Api, Reply, Rule, Scenario};
use claw_types::Map;
use serde_json::json;
use xtask::claude;
use xtask::run::Result;
use xtask::workspace::Workspace;

/// A number of tokens that is not a long input for any model.
const SOME: u64 = 100_000;
/// A long input.
const MANY: u64 = 500_000;

/// The accepted difference of two costs in US dollars, because the CLI adds floating-point numbers.
const ROUNDING: f64 = 1e-9;

/// A name that no model has.
const UNKNOWN: &str = "claude-of-tomorrow-9";

/// Fails unless the CLI computes the costs that the shipped table gives.
pub(super) fn compare(workspace: &Workspace) -> Result {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let claude = claude::install(workspace)?;
    let prices = Prices::shipped();
    let mut problems = Vec::new();
    let mut answers = 0;
    for (model, _) in prices.models() {
        let cases = cases(prices, model);
        answers += cases.len();
        let (costs, basis) = runtime.block_on(measured(&claude, model, &cases))?;
        if basis.as_deref() != Some("list") {
            problems.push(format!("{model}: the CLI has no price, but {basis:?}"));
        }
        for (case, cost) in cases.iter().zip(costs) {
            let expected = prices.cost(model, &case.tokens, case.terms);
            let expected = expected.unwrap_or_default().dollars();
            if (expected - cost).abs() > ROUNDING {
                problems.push(format!(
                    "{model}: {:?} with {:?} cost ${cost}, and ${expected} by the table",
                    case.tokens, case.terms
                ));
            }
        }
    }
    let some = [Case::of(|tokens| tokens.input = SOME)];
    let (_, basis) = runtime.block_on(measured(&claude, UNKNOWN, &some))?;
    if basis.as_deref() != Some("unknown") || prices.of(UNKNOWN).is_some() {
        problems.push(format!("{UNKNOWN} has a price: {basis:?}"));
    }
    println!(
        "prices of {}: {} models, {answers} answers, {} differences from the CLI",
        prices.date(),
        prices.models().count(),
        problems.len()
    );
    if problems.is_empty() {
        return Ok(());
    }
    Err(problems.join("\n").into())
}

/// An answer with a usage.
struct Case {
    tokens: Tokens,
    terms: Terms,
}

impl Case {
    fn of(set: impl Fn(&mut Tokens)) -> Self {
        let mut tokens = Tokens::default();
        set(&mut tokens);
        let terms = Terms::default();
        Self { tokens, terms }
    }

    fn on(mut self, is_fast: bool, is_us: bool) -> Self {
        self.terms = Terms::default().fast(is_fast).us(is_us);
        self
    }

    fn rule(&self, prompt: String) -> Rule {
        let tokens = &self.tokens;
        let five_minutes = tokens.cache_write - tokens.cache_write_1h;
        let mut reply = Reply::new([Block::text("Done.")])
            .usage("input_tokens", tokens.input)
            .usage("output_tokens", tokens.output)
            .usage("cache_read_input_tokens", tokens.cache_read)
            .usage("cache_creation_input_tokens", tokens.cache_write)
            .usage(
                "cache_creation",
                json!({"ephemeral_5m_input_tokens": five_minutes,
                    "ephemeral_1h_input_tokens": tokens.cache_write_1h}),
            )
            .usage(
                "server_tool_use",
                json!({"web_search_requests": tokens.web_searches}),
            );
        if self.terms.is_fast {
            reply = reply.usage("speed", "fast");
        }
        if self.terms.is_us {
            reply = reply.usage("inference_geo", "us");
        }
        Rule::new(Answer::Message(reply)).on_prompt(prompt)
    }
}

/// Returns the answers that cover all prices of a model. The last one is so long that some models accept no further
/// prompts.
fn cases(prices: &Prices, model: &str) -> Vec<Case> {
    let kinds: [fn(&mut Tokens, u64); 5] = [
        |tokens, count| tokens.input = count,
        |tokens, count| tokens.output = count,
        |tokens, count| tokens.cache_read = count,
        |tokens, count| tokens.cache_write = count,
        |tokens, count| (tokens.cache_write, tokens.cache_write_1h) = (count, count),
    ];
    let mut cases = Vec::new();
    for kind in kinds {
        for (is_fast, is_us) in [(false, false), (true, false), (false, true), (true, true)] {
            cases.push(Case::of(|tokens| kind(tokens, SOME)).on(is_fast, is_us));
        }
    }
    cases.push(Case::of(|tokens| tokens.web_searches = 100).on(false, true));
    if let Some(long) = prices.of(model).and_then(|prices| prices.long) {
        for kind in kinds {
            cases.push(Case::of(|tokens| {
                tokens.cache_read = long.above + 1;
                kind(tokens, long.above + 1);
            }));
            cases.push(Case::of(|tokens| kind(tokens, long.above)));
        }
    }
    cases.push(Case::of(|tokens| tokens.input = MANY));
    cases
}

/// Returns the cost of each answer and the statement about prices that the CLI reports.
async fn measured(
    claude: &std::path::Path,
    model: &str,
    cases: &[Case],
) -> Result<(Vec<f64>, Option<String>)> {
    let prompt = |number: usize| format!("Case {number}.");
    let rules = cases
        .iter()
        .enumerate()
        .map(|(number, case)| case.rule(prompt(number)));
    let api = Api::start(Scenario::new("prices", rules)).await?;
    let home = tempfile::tempdir()?;
    let mut env = Map::default();
    for (name, value) in api.env() {
        env.insert(name, Some(value));
    }
    env.insert("HOME", Some(home.path().display().to_string()));
    for name in [
        "CLAUDE_CODE_DISABLE_LEGACY_MODEL_REMAP",
        "DISABLE_AUTO_COMPACT",
    ] {
        env.insert(name, Some("1".to_owned()));
    }
    let options = QueryOptions::default()
        .env(env)
        .cwd(home.path())
        .model(model)
        .path_to_claude_code_executable(claude);
    let session = Session::builder(options).connect().await?;
    let (mut costs, mut before, mut basis) = (Vec::new(), 0.0, None);
    for number in 0..cases.len() {
        let result = session.send(prompt(number)).await?.result().await?;
        if result.is_error() {
            return Err(format!("{model}, case {number}: {}", result.text()).into());
        }
        let total = result.total_cost_usd();
        costs.push(total - before);
        before = total;
        let used = result.model_usage().iter().next();
        basis = used.and_then(|(_, used)| used.cost_basis.as_ref().map(ToString::to_string));
    }
    session.close().await?;
    Ok((costs, basis))
}
