//! The routes by which a person finishes the git worktree of a session.

use std::path::{self, PathBuf};
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use claw_sessions::on_pool;
use serde::{Deserialize, Serialize};

use super::{Api, Refusal, Refused};
use crate::audit::Act;
use crate::hub::{LiveSession, detached};
use crate::object::{self, Object};
use crate::worktree::{
    self, Finished, MOST_FILES, Problem, Tree, Worktree, WorktreeLoss, WorktreeState, files,
    proposal,
};

/// Maximum length of a message or a title, in bytes.
const LONGEST: usize = 64 << 10;
/// Maximum length of a pull request's title, in characters.
const LONGEST_TITLE: usize = 256;

/// The git worktree of a session, and what can be done with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WorktreeView {
    /// The worktree, as it was made.
    pub worktree: Worktree,
    /// The branch that is checked out in the worktree now. Null if no branch is.
    pub branch: Option<String>,
    /// The state of the worktree against the base branch.
    pub state: WorktreeState,
    /// The remote to which the branch is pushed: that of its upstream, or `origin`. Null if there is neither.
    pub remote: Option<String>,
    /// The number of commits that the branch of the same name on the remote does not have, as far as it was fetched. Null
    /// if the branch was never pushed.
    pub unpushed: Option<u64>,
    /// Whether the server has the program `gh`, with which it opens pull requests.
    pub has_gh: bool,
    /// A message for a commit, made of the session's title or of its last prompt.
    pub message: String,
    /// What is lost for good if the worktree and its branch are removed.
    pub loss: WorktreeLoss,
    /// Whether a turn runs in a session that works in the worktree. Nothing can be done until it has ended.
    pub is_running: bool,
    /// The reason why nothing can be done with the worktree now, such as a rebase that has not ended. Null if there is
    /// none.
    pub problem: Option<String>,
}

/// What is done with a worktree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum WorktreeAction {
    /// Commits all changes of the worktree. Needs `message`.
    Commit,
    /// Puts the commits of the worktree on top of the base branch. With `message`, changes are committed before.
    Rebase,
    /// Merges the branch into the base branch, in the project's folder. With `message`, changes are committed before.
    Merge,
    /// Pushes the branch to its remote. Nothing on the remote is replaced.
    Push,
    /// Pushes the branch, and opens a pull request into the base branch. Needs `title`; `message` is its text.
    PullRequest,
    /// Removes the worktree and its branch. Needs `expect`. Without it, the response has what would be lost, and nothing
    /// is removed.
    Discard,
}

/// The body of `POST /api/sessions/{id}/worktree`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct FinishWorktree {
    /// The action to carry out.
    pub action: WorktreeAction,
    /// The message of the commit, or the text of the pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The title of the pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the client expects to be lost, from `loss` of the worktree. If something else would be lost now, nothing is
    /// removed.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "object::maybe"
    )]
    pub expect: Option<WorktreeLoss>,
}

/// The outcome of a request to do something with a worktree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FinishedWorktree {
    /// Whether it was done.
    pub done: bool,
    /// What was done, or why it was not done, in words.
    pub text: String,
    /// The files that both sides have changed, at most 100. If there are any, nothing was merged or rebased: the worktree
    /// and the project's folder are as they were.
    pub conflicts: Vec<String>,
    /// A prompt that asks Claude to resolve the conflicts. Null if there are none.
    pub prompt: Option<String>,
    /// The URL of the pull request. Null if none was opened.
    pub url: Option<String>,
    /// The worktree afterwards. Null if it was removed.
    pub worktree: Option<WorktreeView>,
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Self::new(StatusCode::CONFLICT, problem.kind, problem.text)
    }
}

/// Returns the worktree of a session. Fails if the session has none.
fn worktree_of(live: &LiveSession) -> Result<Worktree, Problem> {
    let text = "the session has no git worktree of its own";
    live.worktree()
        .ok_or_else(|| Problem::new("noWorktree", text))
}

/// Returns the worktree of a session, and opens it with git.
async fn tree_of(api: &Api, live: &LiveSession) -> Result<(Worktree, Tree), Refusal> {
    let worktree = worktree_of(live)?;
    let project = api.hub.project(live.project())?;
    let tree = Tree::open(project, &worktree).await?;
    Ok((worktree, tree))
}

pub(crate) async fn read(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
) -> Result<Json<WorktreeView>, Refusal> {
    let live = api.hub.open(&id).await?;
    // The slot is acquired before git is started. So the number of concurrent git processes is limited.
    let _slot = api.worktrees.acquire().await?;
    let (worktree, tree) = tree_of(&api, &live).await?;
    Ok(Json(view(&api, &live, worktree, &tree).await?))
}

async fn view(
    api: &Api,
    live: &LiveSession,
    worktree: Worktree,
    tree: &Tree,
) -> Result<WorktreeView, Refusal> {
    let state = tree.state().await?;
    api.hub.show_tree(&live.id(), &worktree, Some(&state));
    let remote = tree.remote().await?;
    let unpushed = match &remote {
        Some(remote) => tree.unpushed(remote).await?,
        None => None,
    };
    // If the worktree has a commit, the message of that commit was probably the session's title. So the last prompt is proposed
    // for the message of the next commit.
    let is_begun = state.ahead.is_some_and(|ahead| ahead > 0);
    let (title, last) =
        live.read(|conversation| (conversation.title(), conversation.last_prompt()));
    let asked = if is_begun {
        last.or(title)
    } else {
        title.or(last)
    };
    Ok(WorktreeView {
        branch: tree.branch().map(str::to_owned),
        remote,
        unpushed,
        has_gh: api.gh().is_some(),
        message: proposal(asked.as_deref(), &worktree.name),
        loss: tree.loss().await?,
        is_running: api.hub.has_turn_in(live.project(), &worktree.folder),
        problem: tree.ready().err().map(|problem| problem.text),
        worktree,
        state,
    })
}

/// Checks the texts of a request.
fn check(request: &FinishWorktree) -> Result<(), Refusal> {
    let texts = [("message", &request.message), ("title", &request.title)];
    for (name, text) in texts {
        let Some(text) = text else { continue };
        if text.trim().is_empty() {
            return Err(Refusal::bad(format!("`{name}` is empty")));
        }
        if text.len() > LONGEST {
            return Err(Refusal::bad(format!("`{name}` is longer than 64 KiB")));
        }
        if text.contains('\0') {
            return Err(Refusal::bad(format!("`{name}` has a zero byte")));
        }
    }
    let title = request.title.as_deref().unwrap_or_default();
    if title.chars().count() > LONGEST_TITLE || title.chars().any(char::is_control) {
        let text = "`title` is one line of up to 256 characters";
        return Err(Refusal::bad(text));
    }
    let (is_missing, name) = match request.action {
        WorktreeAction::Commit => (request.message.is_none(), "message"),
        WorktreeAction::PullRequest => (request.title.is_none(), "title"),
        _ => (false, ""),
    };
    if is_missing {
        return Err(Refusal::bad(format!("this needs `{name}`")));
    }
    Ok(())
}

pub(crate) async fn finish(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
    act: Act,
    Object(request): Object<FinishWorktree>,
) -> Result<Json<FinishedWorktree>, Refusal> {
    act.body(&request);
    check(&request)?;
    let live = api.hub.open(&id).await?;
    act.in_live(&live);
    // The action runs in a separate task, so that git is not stopped halfway if the client closes the connection.
    let carried_out = detached::run(carry_out(api, live, act, request)).await?;
    carried_out.map(Json)
}

async fn carry_out(
    api: Arc<Api>,
    live: LiveSession,
    act: Act,
    request: FinishWorktree,
) -> Result<FinishedWorktree, Refusal> {
    let project = live.project();
    let folder = worktree_of(&live)?.folder;
    let paused = api.hub.pause(project, &folder, "the worktree")?;
    check_elsewhere(&api, &live, &folder, false).await?;
    let (worktree, tree) = tree_of(&api, &live).await?;
    tree.ready()?;
    let message = request.message.as_deref();
    let (mut url, mut committed) = (None, None);
    let finished = match request.action {
        WorktreeAction::Commit => {
            tree.check_identity().await?;
            act.record().await?;
            Finished::Done(tree.commit(message.unwrap_or_default()).await?)
        }
        WorktreeAction::Rebase => {
            tree.ready_base()?;
            tree.check_identity().await?;
            tree.check_committed(message).await?;
            act.record().await?;
            committed = tree.commit_rest(message).await?;
            after(committed.as_deref(), tree.rebase().await)?
        }
        WorktreeAction::Merge => {
            let main = &api.hub.project(project)?.folder;
            let _paused = api.hub.pause(project, main, "the project's folder")?;
            check_elsewhere(&api, &live, main, false).await?;
            tree.ready_base()?;
            tree.check_identity().await?;
            tree.check_main().await?;
            tree.check_committed(message).await?;
            act.record().await?;
            committed = tree.commit_rest(message).await?;
            after(committed.as_deref(), tree.merge().await)?
        }
        WorktreeAction::Push => {
            let remote = tree.some_remote().await?;
            act.record().await?;
            Finished::Done(tree.push(&remote).await?)
        }
        WorktreeAction::PullRequest => {
            let gh = api.gh().ok_or_else(no_gh)?;
            tree.ready_base()?;
            let remote = tree.some_remote().await?;
            act.record().await?;
            let pushed = tree.push(&remote).await?;
            let title = request.title.as_deref().unwrap_or_default();
            let opened = tree.open_pull_request(&gh, title, message.unwrap_or_default());
            url = opened.await?;
            Finished::Done(format!("{pushed}, and a pull request is open"))
        }
        WorktreeAction::Discard => {
            tree.check_branch(&worktree)?;
            tree.check_unlocked()?;
            tree.check_repositories().await?;
            let loss = tree.loss().await?;
            return match request.expect {
                Some(expected) if expected == loss => {
                    check_elsewhere(&api, &live, &folder, true).await?;
                    act.record().await?;
                    discard(&api, &live, &tree, loss).await
                }
                Some(_) => {
                    let text = format!("something else would be lost now: {}", lost(loss));
                    Err(Problem::new("changed", text).into())
                }
                None => Ok(FinishedWorktree {
                    worktree: Some(view(&api, &live, worktree, &tree).await?),
                    ..FinishedWorktree::new(false, lost(loss))
                }),
            };
        }
    };
    drop(paused);
    let mut outcome = outcome(request.action, finished, &tree, committed);
    if !outcome.done {
        let refused = Refused {
            kind: "conflict".to_owned(),
            message: outcome.text.clone(),
        };
        act.refused(&refused).await;
    }
    outcome.url = url;
    outcome.worktree = Some(view(&api, &live, worktree, &tree).await?);
    Ok(outcome)
}

fn no_gh() -> Problem {
    let text =
        "the program `gh` is not in the server's PATH: install it, and log in with `gh auth login`";
    Problem::new("noGh", text)
}

/// If the action was made after a commit and has failed, adds `committed`, the text about the commit, to the problem.
fn after(
    committed: Option<&str>,
    finished: Result<Finished, Problem>,
) -> Result<Finished, Problem> {
    finished.map_err(|mut problem| {
        if let Some(committed) = committed {
            problem.text = format!("{committed}, but then: {}", problem.text);
        }
        problem
    })
}

impl FinishedWorktree {
    fn new(done: bool, text: String) -> Self {
        Self {
            done,
            text,
            conflicts: Vec::new(),
            prompt: None,
            url: None,
            worktree: None,
        }
    }
}

/// Returns the outcome of an action for the response. `committed` is the text about a commit that was made before the action.
fn outcome(
    action: WorktreeAction,
    finished: Finished,
    tree: &Tree,
    committed: Option<String>,
) -> FinishedWorktree {
    let first = committed.map_or_else(String::new, |text| format!("{text}, and "));
    let conflicts = match finished {
        Finished::Done(text) => return FinishedWorktree::new(true, first + &text),
        Finished::Conflict(conflicts) => conflicts,
    };
    let branch = tree.branch().unwrap_or_default();
    let base = tree.base().unwrap_or_default();
    let (how, left) = match action {
        WorktreeAction::Rebase => (
            format!("Rebase this branch, {branch}, onto the branch {base}"),
            "The worktree is as it was",
        ),
        _ => (
            format!("Merge the branch {base} into this branch, {branch}"),
            "The worktree and the project's folder are as they were",
        ),
    };
    let lines: Vec<_> = conflicts
        .iter()
        .map(|file| format!("- {}\n", one_line(file)))
        .collect();
    let prompt = format!(
        "{how}, and resolve the conflicts. Both sides have changed these files:\n\n{}\nKeep what both sides meant, run the tests if there are any, and commit the result.",
        lines.concat()
    );
    let left = if first.is_empty() {
        left
    } else {
        "Nothing else is changed"
    };
    let text = format!(
        "{first}{branch} and {base} have conflicts in {}{}. {left}",
        files(conflicts.len() as u64),
        // The list contains at most `MOST_FILES` conflicts. If it is full, there may be more conflicts.
        if conflicts.len() == MOST_FILES {
            " or more"
        } else {
            ""
        }
    );
    FinishedWorktree {
        conflicts,
        prompt: Some(prompt),
        ..FinishedWorktree::new(false, text)
    }
}

/// Replaces the control characters of a path, so that it is on one line.
fn one_line(path: &str) -> String {
    let plain = |letter: char| {
        if letter.is_control() {
            '\u{fffd}'
        } else {
            letter
        }
    };
    path.chars().map(plain).collect()
}

/// Describes what would be lost.
fn lost(loss: WorktreeLoss) -> String {
    let number = |count: u64, one: &str, many: &str| match count {
        1 => format!("1 {one}"),
        count => format!("{count} {many}"),
    };
    format!(
        "{} and {}",
        number(loss.commits, "commit", "commits"),
        number(loss.files, "uncommitted file", "uncommitted files")
    )
}

/// Checks that no `claude` that another program has started, such as a terminal, works in a folder. If `or_idle` is `false`,
/// only a `claude` in the middle of a turn fails the check.
async fn check_elsewhere(
    api: &Arc<Api>,
    live: &LiveSession,
    folder: &path::Path,
    or_idle: bool,
) -> Result<(), Problem> {
    let (hub, of) = (api.hub.clone(), live.id());
    let own = hub.ids_in(live.project(), folder);
    let (home, folder) = (live.home().clone(), folder.to_owned());
    let found = on_pool::run(move || {
        if or_idle && let Ok(session) = home.find(of.as_str()) {
            // The session was closed just before. Without the refresh, lists would not contain it for a moment.
            hub.refresh(&session);
        }
        let is_in = |directory: &PathBuf| {
            let directory = directory
                .canonicalize()
                .unwrap_or_else(|_| directory.clone());
            let within = directory.strip_prefix(&folder);
            within.is_ok_and(|within| !worktree::is_below(within))
        };
        let mut running = home.running().ok()?.into_iter();
        running.find(|claude| {
            let is_here = claude.session_id == of || claude.directory.as_ref().is_some_and(is_in);
            is_here
                && !own.contains(&claude.session_id)
                && (or_idle || claude.is_busy == Some(true))
        })
    });
    let Some(claude) = found.await else {
        return Ok(());
    };
    let wait = if or_idle {
        ""
    } else {
        ", or wait for the end of its turn"
    };
    let text = format!(
        "claude, process {}, works there for another program: end it{wait}",
        claude.process
    );
    Err(Problem::new("elsewhere", text))
}

/// Closes the sessions of a worktree. Then removes the worktree and its branch.
async fn discard(
    api: &Arc<Api>,
    live: &LiveSession,
    tree: &Tree,
    expected: WorktreeLoss,
) -> Result<FinishedWorktree, Refusal> {
    let folder = worktree_of(live)?.folder;
    api.hub.close_in(live.project(), &folder).await?;
    check_elsewhere(api, live, &folder, true).await?;
    // The session's process may have changed files while it ended. So the possible loss is computed again.
    if tree.loss().await? != expected {
        let text = "the worktree has changed while its session was closed: read it again";
        return Err(Problem::new("changed", text).into());
    }
    Ok(FinishedWorktree::new(true, tree.discard().await?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_is_a_sentence() {
        let loss = |commits, files| lost(WorktreeLoss { commits, files });
        assert_eq!(loss(1, 0), "1 commit and 0 uncommitted files");
        assert_eq!(loss(2, 1), "2 commits and 1 uncommitted file");
    }

    #[test]
    fn a_path_of_several_lines_is_one_line_of_a_prompt() {
        assert_eq!(one_line("a\n- b\u{1b}"), "a\u{fffd}- b\u{fffd}");
    }
}
