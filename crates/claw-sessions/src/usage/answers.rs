//! The answers of a session, with their usage and their times.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{BuildHasher as _, Hash, RandomState};
use std::path::Path;

use claw_types::SessionId;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::cost::{Cost, CostState};
use super::estimate::{AnswerCost, Estimate};
use super::period::{Days, Zone, month, week};
use super::{Count, Prices, SessionUsage, Terms, Tokens, UNDATED, Usage, Usd};
use crate::scan::{first_text, has_member};
use crate::stream::{Malformed, Stream};
use crate::{Error, Session};

/// The maximum length of a stored name of a model or a sub-agent.
const NAME: usize = 200;

/// The name of the model on messages that the CLI wrote itself.
pub(super) const NO_MODEL: &str = "<synthetic>";

/// Computes short keys of answers with random hash keys, so that no writer can construct two answers with the same key.
#[derive(Debug, Clone, Default)]
pub(super) struct Keys(RandomState, RandomState);

impl Keys {
    fn of(&self, answer: &impl Hash) -> Key {
        (self.0.hash_one(answer), self.1.hash_one(answer))
    }
}

pub(super) type Key = (u64, u64);

/// The answers of one session and its sub-agents.
#[derive(Debug, Clone, Default)]
pub(super) struct Answers {
    by_key: HashMap<Key, Answer>,
    /// The names of models, days and sub-agents. Answers refer to them by number.
    names: Names,
    pub(super) project: Option<String>,
    cost: Option<CostState>,
}

/// The settings with which usage is counted.
#[derive(Debug, Clone, Default)]
pub(super) struct How<'a> {
    /// The time zone, which decides where days begin.
    pub(super) zone: Zone,
    /// The days whose answers are counted.
    pub(super) days: Days,
    /// The prices, if costs are estimated.
    pub(super) prices: Option<&'a Prices>,
}

#[derive(Debug, Clone)]
struct Answer {
    model: usize,
    day: usize,
    subagent: Option<usize>,
    tokens: Tokens,
    /// The cost of the answer, if costs are estimated.
    cost: Option<AnswerCost>,
    /// Whether the answer was copied from the session from which this one was forked.
    is_copy: bool,
}

#[derive(Debug, Clone, Default)]
struct Names {
    numbers: HashMap<String, usize>,
    names: Vec<String>,
}

impl Names {
    fn number(&mut self, name: &str) -> usize {
        let name = &name[..name.floor_char_boundary(NAME)];
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.names.len();
        self.numbers.insert(name.to_owned(), number);
        self.names.push(name.to_owned());
        number
    }
}

/// The members of an entry that are read. All other members are skipped.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) uuid: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) request_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) timestamp: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) agent_id: Option<Cow<'a, str>>,
    pub(super) is_sidechain: Option<bool>,
    pub(super) forked_from: Option<IgnoredAny>,
    #[serde(rename = "costUSD")]
    pub(super) cost: Option<f64>,
    #[serde(borrow)]
    pub(super) message: Option<Message<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Message<'a> {
    #[serde(borrow)]
    pub(super) id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) model: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) usage: Option<ApiUsage<'a>>,
}

#[derive(Deserialize, Serialize)]
pub(super) struct ApiUsage<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    input_tokens: Option<claw_types::Count>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_tokens: Option<claw_types::Count>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_read_input_tokens: Option<claw_types::Count>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_creation_input_tokens: Option<claw_types::Count>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_creation: Option<CacheCreation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_tokens_details: Option<OutputDetails>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server_tool_use: Option<ServerTools>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    speed: Option<Cow<'a, str>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    inference_geo: Option<Cow<'a, str>>,
}

impl ApiUsage<'_> {
    fn terms(&self) -> Terms {
        Terms {
            is_fast: self.speed.as_deref() == Some("fast"),
            is_us: self.inference_geo.as_deref() == Some("us"),
        }
    }
}

#[derive(Deserialize, Serialize)]
pub(super) struct CacheCreation {
    ephemeral_1h_input_tokens: Option<claw_types::Count>,
}

#[derive(Deserialize, Serialize)]
pub(super) struct OutputDetails {
    thinking_tokens: Option<claw_types::Count>,
}

#[derive(Deserialize, Serialize)]
pub(super) struct ServerTools {
    web_search_requests: Option<claw_types::Count>,
}

impl From<ApiUsage<'_>> for Tokens {
    fn from(usage: ApiUsage<'_>) -> Self {
        let count = |count: Option<claw_types::Count>| count.map_or(0, claw_types::Count::get);
        let hour = usage
            .cache_creation
            .and_then(|c| c.ephemeral_1h_input_tokens);
        let details = usage.output_tokens_details;
        let tools = usage.server_tool_use;
        Self {
            input: count(usage.input_tokens),
            output: count(usage.output_tokens),
            thinking: count(details.and_then(|details| details.thinking_tokens)),
            cache_read: count(usage.cache_read_input_tokens),
            cache_write: count(usage.cache_creation_input_tokens),
            cache_write_1h: count(hour),
            web_searches: count(tools.and_then(|tools| tools.web_search_requests)),
        }
    }
}

impl Answers {
    /// Reads the answers of a session and its sub-agents, and returns them with the errors of the files and lines that
    /// could not be read.
    pub(super) fn read(
        session: &Session,
        keys: &Keys,
        how: &How<'_>,
    ) -> Result<(Self, Vec<Error>), Error> {
        let mut problems = Vec::new();
        let mut answers = Self::default();
        let there = answers.add(session.transcript(), None, keys, how, &mut problems)?;
        if !there {
            return Err(session.not_found());
        }
        let subagents = session.subagents();
        problems.extend(subagents.problems);
        for subagent in subagents.subagents {
            let (path, id) = (subagent.transcript(), subagent.id());
            let read = answers.add(path, Some(id), keys, how, &mut problems);
            // A sub-agent that was deleted meanwhile has no answers.
            if let Err(error) = read {
                problems.push(error);
            }
        }
        Ok((answers, problems))
    }

    /// Adds the answers of a file. Returns `false` if the file does not exist.
    fn add(
        &mut self,
        path: &Path,
        subagent: Option<&str>,
        keys: &Keys,
        how: &How<'_>,
        problems: &mut Vec<Error>,
    ) -> Result<bool, Error> {
        let Some(mut stream) = Stream::open(path)? else {
            return Ok(false);
        };
        let read = stream.each(|_, line| self.line(line, subagent, keys, how).map(|()| true));
        problems.extend(stream.problem());
        read.map(|()| true)
    }

    /// Adds a line of the session's transcript, or of the transcript of a sub-agent.
    pub(super) fn line(
        &mut self,
        line: &[u8],
        subagent: Option<&str>,
        keys: &Keys,
        how: &How<'_>,
    ) -> Result<(), Malformed> {
        let is_main = subagent.is_none();
        if is_main && self.project.is_none() {
            self.project = first_text(line, "cwd");
        }
        if is_main && let Some(cost) = CostState::of(line) {
            self.cost = Some(cost);
            return Ok(());
        }
        // Most lines are not answers and are not parsed.
        if is_answer(line) {
            self.entry(line, subagent, keys, how)?;
        }
        Ok(())
    }

    /// Merges the answers of two copies of a session. Each copy may have answers that the other one lacks.
    pub(super) fn merged(&self, other: &Self) -> Self {
        let has_all_of = |all: &Self, part: &Self| {
            let mut keys = part.by_key.keys();
            keys.all(|key| all.by_key.contains_key(key))
        };
        // The cost that the CLI wrote in one copy is complete only if the other copy has no further answers.
        let cost = |of: &Self, has_all: bool| {
            let mut cost = of.cost.clone()?;
            cost.is_old |= !has_all;
            Some(cost)
        };
        let one = cost(self, has_all_of(self, other));
        let two = cost(other, has_all_of(other, self));
        let mut all = self.clone();
        all.cost = match (one, two) {
            (Some(one), Some(two)) => Some(one.better(two)),
            (one, two) => one.or(two),
        };
        all.project = all.project.or_else(|| other.project.clone());
        for (key, answer) in &other.by_key {
            let mut name = |number: usize| all.names.number(&other.names.names[number]);
            let answer = Answer {
                model: name(answer.model),
                day: name(answer.day),
                subagent: answer.subagent.map(name),
                ..answer.clone()
            };
            let known = all.by_key.entry(*key).or_insert_with(|| answer.clone());
            if known.tokens.total() < answer.tokens.total() {
                // The other copy has a later line of this answer, which replaces the known one.
                *known = answer;
            }
        }
        all
    }

    fn entry(
        &mut self,
        line: &[u8],
        subagent: Option<&str>,
        keys: &Keys,
        how: &How<'_>,
    ) -> Result<(), Malformed> {
        let text = crate::scan::text(line);
        let entry: Entry<'_> = serde_json::from_str(&text).map_err(|_| Malformed)?;
        let Some(message) = entry.message.filter(|_| entry.kind == "assistant") else {
            return Ok(());
        };
        let model = message.model.as_deref().unwrap_or("unknown");
        let Some(usage) = message.usage.filter(|_| model != NO_MODEL) else {
            return Ok(());
        };
        let key = match &message.id {
            Some(id) => keys.of(&(0_u8, id, &entry.request_id)),
            // An answer without an ID consists of one line.
            None => keys.of(&(1_u8, entry.uuid.as_deref().map_or(line, str::as_bytes))),
        };
        let moment = entry.timestamp.and_then(|moment| how.zone.day(&moment));
        // Older CLIs wrote the messages of sub-agents into the session's own file.
        let is_side = entry.is_sidechain == Some(true);
        let in_main = is_side.then(|| entry.agent_id.as_deref().unwrap_or("unknown"));
        let terms = usage.terms();
        let tokens = Tokens::from(usage);
        let cost = how.prices.map(|prices| {
            let written = entry.cost.and_then(Usd::from_dollars);
            let priced = || prices.cost(model, &tokens, terms);
            let written = written.map(AnswerCost::Written);
            written
                .or_else(|| priced().map(AnswerCost::Priced))
                .unwrap_or(AnswerCost::Unknown)
        });
        if let Some(answer) = self.by_key.get_mut(&key) {
            // The answer belongs to the transcript that contains it first. A sub-agent may begin with a copy of the
            // conversation.
            answer.tokens = tokens;
            answer.cost = cost;
        } else {
            let answer = Answer {
                model: self.names.number(model),
                day: self.names.number(moment.as_deref().unwrap_or(UNDATED)),
                subagent: subagent.or(in_main).map(|id| self.names.number(id)),
                tokens,
                cost,
                is_copy: entry.forked_from.is_some(),
            };
            self.by_key.insert(key, answer);
        }
        if let Some(cost) = self.cost.as_mut().filter(|_| subagent.is_none()) {
            cost.is_old = true;
        }
        Ok(())
    }

    /// Returns the number of answers.
    pub(super) fn len(&self) -> usize {
        self.by_key.len()
    }

    /// Returns the keys of all answers. The flag states whether the answer was copied from the session from which this
    /// one was forked.
    pub(super) fn keys(&self) -> impl Iterator<Item = (Key, bool)> {
        self.by_key
            .iter()
            .map(|(key, answer)| (*key, answer.is_copy))
    }

    /// Sums the answers for which `counts` returns `true`. The cost that the CLI wrote is left out if it covers further
    /// answers: answers of other days, or own answers for which `counts` returns `false`.
    pub(super) fn sum(
        &self,
        id: &SessionId,
        days: &Days,
        counts: impl Fn(&Key) -> bool,
    ) -> SessionUsage {
        self.sum_with(self.cost.as_ref(), id, days, counts)
    }

    /// Sums the copies for which `counts` returns `true`. The cost that the CLI wrote was already added with the
    /// session's own answers.
    pub(super) fn sum_of_copies(
        &self,
        id: &SessionId,
        days: &Days,
        counts: impl Fn(&Key) -> bool,
    ) -> SessionUsage {
        self.sum_with(None, id, days, counts)
    }

    fn sum_with(
        &self,
        cost: Option<&CostState>,
        id: &SessionId,
        days: &Days,
        counts: impl Fn(&Key) -> bool,
    ) -> SessionUsage {
        let mut sum = SessionUsage {
            session_id: id.clone(),
            project: self.project.clone(),
            total: Usage::default(),
            by_model: BTreeMap::new(),
            by_day: BTreeMap::new(),
            by_week: BTreeMap::new(),
            by_month: BTreeMap::new(),
            unpriced_models: BTreeSet::new(),
            by_subagent: BTreeMap::new(),
            problems: Vec::new(),
        };
        let mut left_out = false;
        let mut copies = false;
        for (key, answer) in &self.by_key {
            let day = self.names.names[answer.day].as_str();
            let is_other_day = !days.have(day);
            if is_other_day || !counts(key) {
                left_out |= is_other_day || !answer.is_copy;
                continue;
            }
            copies |= answer.is_copy;
            let count = Count {
                answers: 1,
                tokens: answer.tokens,
            };
            let name = |number: usize| self.names.names[number].as_str();
            let is_subagent = answer.subagent.is_some();
            let estimate = answer.cost.map(Estimate::from);
            sum.total.add(count, is_subagent, estimate);
            let model = name(answer.model);
            by(&mut sum.by_model, model).add(count, is_subagent, estimate);
            by(&mut sum.by_day, day).add(count, is_subagent, estimate);
            if answer.cost == Some(AnswerCost::Unknown) && !sum.unpriced_models.contains(model) {
                sum.unpriced_models.insert(model.to_owned());
            }
            if let Some(subagent) = answer.subagent {
                *by(&mut sum.by_subagent, name(subagent)) += count;
            }
        }
        for (day, usage) in &sum.by_day {
            by(&mut sum.by_week, &week(day)).add_group(usage);
            by(&mut sum.by_month, &month(day)).add_group(usage);
        }
        // The written cost covers all of the session's own answers, so it applies only if no own answer was left out.
        // In a fork that the CLI made, the written cost includes the cost of the original session.
        let Some(cost) = cost.filter(|_| !left_out) else {
            return sum;
        };
        let known = |mut cost: Cost| {
            cost.is_whole &= !copies;
            cost
        };
        sum.total.cost = Some(known(cost.total()));
        for (model, cost) in cost.of_models() {
            // The written costs may contain the same model under several names.
            match &mut by(&mut sum.by_model, model).cost {
                Some(sum) => *sum += known(cost),
                none => *none = Some(known(cost)),
            }
        }
        // The cost of each single day is not known if there are several days.
        for periods in [&mut sum.by_day, &mut sum.by_week, &mut sum.by_month] {
            if let (1, Some(mut period)) = (periods.len(), periods.first_entry()) {
                period.get_mut().cost = sum.total.cost;
            }
        }
        sum
    }
}

/// Whether a line can be an answer. Most lines cannot, which is determined without parsing them.
pub(super) fn is_answer(line: &[u8]) -> bool {
    has_member(line, "type", "\"assistant\"") && has_member(line, "usage", "{")
}

/// Returns the entry with this name. Creates the entry if necessary.
pub(super) fn by<'a, T: Default>(map: &'a mut BTreeMap<String, T>, name: &str) -> &'a mut T {
    map.entry(name.to_owned()).or_default()
}
