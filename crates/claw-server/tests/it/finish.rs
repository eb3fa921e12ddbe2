//! A worktree is finished: committed, rebased, merged, pushed, or removed, and a pull request is opened.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use claw_client::pool::Pool;
use claw_server::{Project, Wall};
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use serde_json::{Value, json};

use crate::activity::Stream;
use crate::changes::Transcript;
use crate::client::{Response, Running, soon};
use crate::worktrees::{git, repository};

const ID: &str = Transcript::ID;

/// A server with a session in the worktree `a`, whose file `apples.txt` is edited.
pub(crate) struct Trees {
    pub(crate) running: Running,
    pub(crate) shop: PathBuf,
    pub(crate) tree: PathBuf,
}

impl Trees {
    async fn start() -> Self {
        Self::start_with(Script::reply("Hi."), None).await
    }

    /// With a program that opens pull requests.
    async fn start_with(script: Script, gh: Option<&Path>) -> Self {
        let gh = gh.map(Path::to_owned);
        let running = Running::start_as(script, |builder| {
            let builder = builder.pool(Pool::builder().processes(1).build());
            match gh {
                Some(gh) => builder.gh(gh),
                None => builder,
            }
        })
        .await;
        let shop = running.folder.path().join("shop").canonicalize().unwrap();
        let tree = prepare(&running, &shop);
        Self {
            running,
            shop,
            tree,
        }
    }

    async fn view(&self) -> Value {
        let path = format!("/api/sessions/{ID}/worktree");
        let view = self.running.ask("GET", &path, &Value::Null).await;
        assert_eq!(view.status, 200, "{}", view.body);
        view.json()
    }

    async fn post(&self, body: Value) -> Response {
        let path = format!("/api/sessions/{ID}/worktree");
        self.running.ask("POST", &path, &body).await
    }

    /// Does something, successfully. Returns the outcome.
    async fn done(&self, body: Value) -> Value {
        let response = self.post(body).await;
        assert_eq!(response.status, 200, "{}", response.body);
        let outcome = response.json();
        assert_eq!(outcome["done"], true, "{outcome}");
        outcome
    }

    /// Tries something that is refused. Returns the kind and the message of the error.
    async fn refused(&self, body: Value) -> (String, String) {
        let response = self.post(body.clone()).await;
        assert_eq!(response.status, 409, "{body}: {}", response.body);
        let error = &response.json()["error"];
        let text = |key: &str| error[key].as_str().unwrap().to_owned();
        (text("kind"), text("message"))
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.tree.join(name), text).unwrap();
    }

    /// A commit in the project's folder.
    fn commit_in_main(&self, name: &str, text: &str) {
        fs::write(self.shop.join(name), text).unwrap();
        git(&self.shop, &["add", name]);
        git(&self.shop, &["commit", "-q", "-m", "In main"]);
    }

    fn read_main(&self, name: &str) -> String {
        fs::read_to_string(self.shop.join(name)).unwrap()
    }
}

/// The commit that a folder has.
fn head(folder: &Path) -> String {
    git(folder, &["rev-parse", "HEAD"])
}

fn is_turn_end(change: &Value) -> bool {
    change.to_string().contains("turnEnd")
}

fn is_idle(state: &Value) -> bool {
    state["phase"] == "idle" && state["queued"] == 0
}

/// Makes the repository, its worktree, and the transcript of a session in it.
pub(crate) fn prepare(running: &Running, shop: &Path) -> PathBuf {
    repository(shop);
    git(shop, &["config", "user.name", "A User"]);
    git(shop, &["config", "user.email", "user@example.com"]);
    git(shop, &["config", "commit.gpgSign", "false"]);
    let folder = ".claude/worktrees/a";
    git(shop, &["worktree", "add", "-q", "-b", "worktree-a", folder]);
    let tree = shop.join(folder);
    let mut transcript = Transcript::new(&tree);
    let path = tree.join("apples.txt").display().to_string();
    transcript.edit(1, &path, Some("one\ntwo\nthree\n"), "two", "TWO");
    transcript.in_worktree("a", &tree);
    transcript.save(running);
    fs::write(tree.join("apples.txt"), "one\nTWO\nthree\n").unwrap();
    tree
}

#[tokio::test]
async fn changes_are_committed_with_the_message_and_the_hooks_of_the_person() {
    let trees = Trees::start().await;
    trees.write("new pears.txt", "sweet\n");
    let view = trees.view().await;
    assert_eq!(
        view["state"],
        json!({"base": "main", "ahead": 0, "behind": 0, "uncommitted": 2})
    );
    assert_eq!(view["message"], "Change it");
    assert_eq!(view["branch"], "worktree-a");
    assert_eq!(
        (&view["remote"], &view["problem"], &view["isRunning"]),
        (&Value::Null, &Value::Null, &json!(false))
    );
    assert_eq!(view["loss"], json!({"commits": 0, "files": 2}));
    // The message is what was sent, and nothing in it is an option or a command.
    let message = "--amend $(touch ran) `touch ran`\n\n# Not a comment";
    let done = trees
        .done(json!({"action": "commit", "message": message}))
        .await;
    assert_eq!(done["text"], "2 files are committed on worktree-a");
    let state = json!({"base": "main", "ahead": 1, "behind": 0, "uncommitted": 0});
    assert_eq!(done["worktree"]["state"], state);
    assert_eq!(done["worktree"]["loss"], json!({"commits": 1, "files": 0}));
    let log = git(&trees.tree, &["log", "-1", "--format=%B%an %ae"]);
    assert_eq!(log.trim(), format!("{message}\nA User user@example.com"));
    let files = git(&trees.tree, &["show", "--name-only", "--format="]);
    assert_eq!(files, "apples.txt\nnew pears.txt\n");
    assert!(!trees.tree.join("ran").exists());
    assert_eq!(trees.read_main("apples.txt"), "one\ntwo\nthree\n");
    let (kind, text) = trees
        .refused(json!({"action": "commit", "message": "Again"}))
        .await;
    assert_eq!(
        (&*kind, &*text),
        (
            "nothing",
            "the worktree has no changes that are not committed"
        )
    );
    trees.running.end().await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_hook_that_refuses_a_commit_is_quoted_without_its_colours() {
    use std::os::unix::fs::PermissionsExt as _;
    let trees = Trees::start().await;
    let hook = trees.shop.join(".git/hooks/pre-commit");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(
        &hook,
        "#!/bin/sh\nprintf '\\033[31mNo\\033[0m <b>tests</b>\\n' >&2\necho \"$GIT_EDITOR$GIT_TERMINAL_PROMPT$CLAW_SECRET\" >&2\nexit 1\n",
    )
    .unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let commit = json!({"action": "commit", "message": "Two"});
    let (kind, text) = trees.refused(commit).await;
    assert_eq!(kind, "failed");
    assert_eq!(text, "the commit failed: No <b>tests</b>\n:0");
    assert_eq!(trees.view().await["state"]["uncommitted"], 1);
    trees.running.end().await;
}

#[tokio::test]
async fn a_merge_commits_what_is_left_and_takes_the_base_on() {
    let trees = Trees::start().await;
    trees.commit_in_main("plums.txt", "blue\n");
    fs::write(trees.shop.join("untracked.txt"), "mine\n").unwrap();
    let (kind, text) = trees.refused(json!({"action": "merge"})).await;
    assert_eq!(kind, "uncommitted");
    assert!(text.contains("changes in 1 file "), "{text}");
    let done = trees
        .done(json!({"action": "merge", "message": "Two"}))
        .await;
    assert_eq!(
        done["text"],
        "1 file is committed on worktree-a, and worktree-a is merged into main"
    );
    assert_eq!(done["conflicts"], json!([]));
    assert_eq!(trees.read_main("apples.txt"), "one\nTWO\nthree\n");
    assert_eq!(trees.read_main("untracked.txt"), "mine\n");
    let subject = git(&trees.shop, &["log", "-1", "--format=%s"]);
    assert_eq!(subject, "Merge branch 'worktree-a'\n");
    let state = &done["worktree"]["state"];
    assert_eq!((&state["ahead"], &state["behind"]), (&json!(0), &json!(2)));
    assert_eq!(done["worktree"]["loss"], json!({"commits": 0, "files": 0}));
    let again = trees.done(json!({"action": "merge"})).await;
    assert_eq!(again["text"], "main has all commits of worktree-a already");
    trees.running.end().await;
}

#[tokio::test]
async fn conflicts_are_named_and_leave_both_sides_as_they_were() {
    let trees = Trees::start().await;
    trees.commit_in_main("apples.txt", "one\nzwei\nthree\n");
    let message = json!("Two");
    for action in ["merge", "rebase"] {
        let main = head(&trees.shop);
        let response = trees
            .post(json!({"action": action, "message": message}))
            .await;
        assert_eq!(response.status, 200, "{}", response.body);
        let outcome = response.json();
        assert_eq!(outcome["done"], false, "{outcome}");
        assert_eq!(outcome["conflicts"], json!(["apples.txt"]));
        let text = outcome["text"].as_str().unwrap();
        assert!(text.contains("conflicts in 1 file"), "{text}");
        let (first, left) = match action {
            "merge" => ("1 file is committed on", "Nothing else is changed"),
            _ => ("worktree-a and main", "The worktree is as it was"),
        };
        assert!(text.starts_with(first) && text.ends_with(left), "{text}");
        let prompt = outcome["prompt"].as_str().unwrap();
        for part in ["main", "worktree-a", "\n- apples.txt\n"] {
            assert!(prompt.contains(part), "{prompt}");
        }
        assert_eq!(head(&trees.shop), main);
        assert_eq!(trees.read_main("apples.txt"), "one\nzwei\nthree\n");
        let own = fs::read_to_string(trees.tree.join("apples.txt")).unwrap();
        assert_eq!(own, "one\nTWO\nthree\n");
        for folder in [&trees.shop, &trees.tree] {
            let status = git(folder, &["status", "--porcelain", "--untracked-files=no"]);
            assert_eq!(status, "", "{action}");
        }
        let branch = git(&trees.tree, &["branch", "--show-current"]);
        assert_eq!(branch, "worktree-a\n");
        // What was left was committed before.
        let state = &outcome["worktree"]["state"];
        assert_eq!((&state["ahead"], &state["behind"]), (&json!(1), &json!(1)));
        assert_eq!(outcome["worktree"]["problem"], Value::Null);
    }
    trees.running.end().await;
}

#[tokio::test]
async fn a_rebase_puts_the_commits_on_top_of_the_base() {
    let trees = Trees::start().await;
    trees.commit_in_main("plums.txt", "blue\n");
    let done = trees
        .done(json!({"action": "rebase", "message": "Two"}))
        .await;
    assert_eq!(
        done["text"],
        "1 file is committed on worktree-a, and worktree-a is on top of main"
    );
    let state = json!({"base": "main", "ahead": 1, "behind": 0, "uncommitted": 0});
    assert_eq!(done["worktree"]["state"], state);
    assert!(trees.tree.join("plums.txt").exists());
    let again = trees.done(json!({"action": "rebase"})).await;
    assert_eq!(again["text"], "worktree-a has all commits of main already");
    // The base is the branch that the project's folder has.
    git(&trees.shop, &["switch", "-q", "-c", "next"]);
    assert_eq!(trees.view().await["state"]["base"], "next");
    trees.running.end().await;
}

#[tokio::test]
async fn a_branch_is_pushed_and_never_by_force() {
    let trees = Trees::start().await;
    let commit = |text: &str| json!({"action": "commit", "message": text});
    trees.done(commit("Two")).await;
    let (kind, text) = trees.refused(json!({"action": "push"})).await;
    assert_eq!(kind, "noRemote");
    assert!(text.contains("git remote add origin"), "{text}");
    let remote = trees.shop.with_file_name("remote.git");
    let path = remote.to_str().unwrap();
    git(&trees.shop, &["init", "-q", "--bare", path]);
    git(&trees.shop, &["remote", "add", "origin", path]);
    git(&trees.shop, &["push", "-q", "origin", "main"]);
    // The CLI may have begun the branch with one of the remote, which becomes its upstream. Nothing is pushed to that.
    git(&trees.tree, &["branch", "-q", "-u", "origin/main"]);
    let view = trees.view().await;
    assert_eq!(
        (&view["remote"], &view["unpushed"]),
        (&json!("origin"), &Value::Null)
    );
    let done = trees.done(json!({"action": "push"})).await;
    assert_eq!(done["text"], "worktree-a is pushed to origin");
    assert_eq!(done["worktree"]["unpushed"], 0);
    assert_eq!(done["worktree"]["loss"]["commits"], 0);
    let pushed = git(&remote, &["rev-parse", "worktree-a"]);
    assert_eq!(pushed, head(&trees.tree));
    let main = git(&remote, &["rev-parse", "main"]);
    assert_eq!(main, head(&trees.shop));

    // The remote gets another commit.
    let other = trees.shop.with_file_name("other");
    let other_path = other.to_str().unwrap();
    git(
        &trees.shop,
        &["clone", "-q", "-b", "worktree-a", path, other_path],
    );
    fs::write(other.join("figs.txt"), "green\n").unwrap();
    git(&other, &["add", "."]);
    git(&other, &["commit", "-q", "-m", "Figs"]);
    git(&other, &["push", "-q", "origin", "worktree-a"]);
    trees.write("apples.txt", "one\n2\nthree\n");
    trees.done(commit("Three")).await;
    assert_eq!(trees.view().await["unpushed"], 1);
    let (kind, text) = trees.refused(json!({"action": "push"})).await;
    assert_eq!(kind, "rejected");
    assert!(
        text.contains("git pull --rebase origin worktree-a"),
        "{text}"
    );
    let pushed = git(&remote, &["rev-parse", "worktree-a"]);
    assert_eq!(pushed, head(&other));
    // A remote that is away.
    git(
        &trees.shop,
        &["remote", "set-url", "origin", "/nowhere/there"],
    );
    let (kind, text) = trees.refused(json!({"action": "push"})).await;
    assert_eq!(kind, "failed");
    assert!(text.contains("/nowhere/there"), "{text}");
    trees.running.end().await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_pull_request_is_opened_by_gh_with_the_texts_as_they_are() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let gh = folder.path().join("gh");
    let log = folder.path().join("log");
    let script = format!(
        "#!/bin/sh\nfor it in \"$@\"; do printf '%s|' \"$it\" >> {log}; done\ncat >> {log}\n[ -e {fails} ] && {{ echo 'gh auth login' >&2; exit 4; }}\necho 'Creating' >&2\necho https://example.com/shop/pull/7\n",
        log = log.display(),
        fails = folder.path().join("fails").display()
    );
    fs::write(&gh, script).unwrap();
    fs::set_permissions(&gh, fs::Permissions::from_mode(0o755)).unwrap();
    let trees = Trees::start_with(Script::reply("Hi."), Some(&gh)).await;
    assert_eq!(trees.view().await["hasGh"], true);
    trees
        .done(json!({"action": "commit", "message": "Two"}))
        .await;
    let request =
        json!({"action": "pullRequest", "title": "--web \"$HOME\"", "message": "Why\n`ls`"});
    assert_eq!(trees.refused(request.clone()).await.0, "noRemote");
    let remote = trees.shop.with_file_name("remote.git");
    let path = remote.to_str().unwrap();
    git(&trees.shop, &["init", "-q", "--bare", path]);
    git(&trees.shop, &["remote", "add", "origin", path]);
    let done = trees.done(request.clone()).await;
    assert_eq!(done["url"], "https://example.com/shop/pull/7");
    let pushed = git(&remote, &["rev-parse", "worktree-a"]);
    assert_eq!(pushed, head(&trees.tree));
    assert_eq!(
        fs::read_to_string(&log).unwrap(),
        "pr|create|--head=worktree-a|--base=main|--title=--web \"$HOME\"|--body-file=-|Why\n`ls`"
    );
    fs::write(folder.path().join("fails"), "").unwrap();
    let (kind, text) = trees.refused(request).await;
    assert_eq!(
        (&*kind, &*text),
        ("failed", "gh pr create failed: gh auth login")
    );
    trees.running.end().await;
}

#[tokio::test]
async fn a_worktree_is_removed_only_with_what_the_person_has_seen() {
    let trees = Trees::start().await;
    trees
        .done(json!({"action": "commit", "message": "Two"}))
        .await;
    trees.write("pears.txt", "sweet\n");
    // The CLI locks its worktrees.
    let lock = ["worktree", "lock", "--reason", "claude session a (pid 1)"];
    git(&trees.shop, &[&lock[..], &[".claude/worktrees/a"]].concat());
    let asked = trees.post(json!({"action": "discard"})).await;
    assert_eq!(asked.status, 200, "{}", asked.body);
    let asked = asked.json();
    assert_eq!(asked["done"], false);
    assert_eq!(asked["text"], "1 commit and 1 uncommitted file");
    let loss = asked["worktree"]["loss"].clone();
    assert_eq!(loss, json!({"commits": 1, "files": 1}));
    let discard = json!({"action": "discard", "expect": loss});
    trees.write("figs.txt", "green\n");
    let (kind, text) = trees.refused(discard.clone()).await;
    assert_eq!(kind, "changed");
    assert!(text.contains("1 commit and 2 uncommitted files"), "{text}");
    assert!(trees.tree.exists());
    fs::remove_file(trees.tree.join("figs.txt")).unwrap();
    // The session has a process, which ends first.
    let mut events = trees.running.events(ID, None).await;
    assert_eq!(trees.running.prompt(ID, "Hello").await.status, 202);
    events.until("change", is_turn_end).await;
    events.until("state", is_idle).await;
    let done = trees.done(discard).await;
    assert_eq!(
        done["text"],
        "the worktree and its branch worktree-a are removed"
    );
    assert_eq!(done["worktree"], Value::Null);
    assert!(!trees.tree.exists());
    assert_eq!(
        git(&trees.shop, &["branch", "--format=%(refname:short)"]),
        "main\n"
    );
    let live = trees.running.ask("GET", "/api/live", &Value::Null).await;
    assert_eq!(live.json(), json!([]));
    // The conversation can be read, and accepts no prompts.
    let prompt = trees.running.prompt(ID, "Hello again").await;
    assert_eq!(prompt.status, 400, "{}", prompt.body);
    let path = format!("/api/sessions/{ID}/worktree");
    let gone = trees.running.ask("GET", &path, &Value::Null).await;
    assert_eq!(gone.status, 409, "{}", gone.body);
    assert_eq!(gone.json()["error"]["kind"], "noWorktree");
    trees.running.end().await;
}

#[tokio::test]
async fn other_repositories_in_a_worktree_are_neither_lost_nor_committed_as_a_name() {
    let trees = Trees::start().await;
    let discard = json!({"action": "discard"});
    let nested = trees.tree.join("nested");
    fs::create_dir(&nested).unwrap();
    git(&nested, &["init", "-q"]);
    fs::write(nested.join("own.txt"), "mine\n").unwrap();
    git(&nested, &["add", "."]);
    let person = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
    git(
        &nested,
        &[&person[..], &["commit", "-q", "-m", "Own"]].concat(),
    );
    for body in [
        json!({"action": "commit", "message": "Two"}),
        json!({"action": "merge", "message": "Two"}),
        discard.clone(),
    ] {
        let (kind, text) = trees.refused(body).await;
        assert_eq!(kind, "repository");
        assert!(text.starts_with("nested/ "), "{text}");
    }
    // Somebody has committed the name, and merged it.
    git(&trees.tree, &["add", "--all"]);
    git(&trees.tree, &["commit", "-q", "-m", "Two"]);
    trees.done(json!({"action": "merge"})).await;
    assert_eq!(
        trees.view().await["loss"],
        json!({"commits": 0, "files": 0})
    );
    let (kind, text) = trees.refused(discard.clone()).await;
    assert_eq!(kind, "repository");
    assert!(text.starts_with("nested in the worktree"), "{text}");
    fs::remove_dir_all(&nested).unwrap();
    fs::create_dir(&nested).unwrap();
    // A worktree below an ignored folder.
    fs::write(trees.shop.join(".git/info/exclude"), ".claude/\n").unwrap();
    let inner = trees.tree.join(".claude/worktrees/b");
    let inner = inner.to_str().unwrap();
    git(&trees.tree, &["worktree", "add", "-q", "-b", "b", inner]);
    let (kind, text) = trees.refused(discard.clone()).await;
    assert_eq!(kind, "repository");
    assert!(text.starts_with(".claude/worktrees/b "), "{text}");
    git(&trees.shop, &["worktree", "remove", inner]);
    // Files that git does not compare.
    git(
        &trees.tree,
        &["update-index", "--assume-unchanged", "apples.txt"],
    );
    trees.write("apples.txt", "four\n");
    let asked = trees.post(discard.clone()).await.json();
    assert_eq!(asked["worktree"]["loss"], json!({"commits": 0, "files": 1}));
    assert!(trees.tree.exists() && nested.exists());
    // In a sparse checkout, files outside of it are no such files, and the others still are.
    git(
        &trees.tree,
        &["sparse-checkout", "set", "--no-cone", "/*", "!/nested"],
    );
    let asked = trees.post(discard).await.json();
    assert_eq!(asked["worktree"]["loss"]["files"], 1, "{asked}");
    assert!(trees.tree.exists());
    trees.running.end().await;
}

#[tokio::test]
async fn ignored_files_are_not_replaced_by_a_merge_or_a_rebase() {
    let trees = Trees::start().await;
    fs::write(
        trees.shop.join(".git/info/exclude"),
        "data.json\nbase.json\n",
    )
    .unwrap();
    trees.write("data.json", "of the branch\n");
    git(&trees.tree, &["add", "--force", "data.json"]);
    trees.commit_in_main("plums.txt", "blue\n");
    fs::write(trees.shop.join("data.json"), "of a person\n").unwrap();
    let (kind, text) = trees
        .refused(json!({"action": "merge", "message": "Two"}))
        .await;
    assert_eq!(kind, "overwrites");
    assert!(
        text.starts_with("2 files are committed on worktree-a, but then: data.json "),
        "{text}"
    );
    assert_eq!(trees.read_main("data.json"), "of a person\n");
    fs::remove_file(trees.shop.join("data.json")).unwrap();
    // A file in place of a folder.
    fs::write(trees.shop.join("base.json"), "of the base\n").unwrap();
    git(&trees.shop, &["add", "--force", "base.json"]);
    git(&trees.shop, &["commit", "-q", "-m", "Base"]);
    trees.write("base.json", "of a person\n");
    let (kind, _) = trees.refused(json!({"action": "rebase"})).await;
    assert_eq!(kind, "overwrites");
    let own = fs::read_to_string(trees.tree.join("base.json")).unwrap();
    assert_eq!(own, "of a person\n");
    fs::remove_file(trees.tree.join("base.json")).unwrap();
    // The configuration of a branch does not leave a merge in the middle.
    git(
        &trees.shop,
        &["config", "branch.main.mergeOptions", "--no-commit --squash"],
    );
    let done = trees.done(json!({"action": "merge"})).await;
    assert_eq!(done["text"], "worktree-a is merged into main");
    assert_eq!(trees.read_main("data.json"), "of the branch\n");
    // A name need not be UTF-8.
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::ffi::OsStrExt as _;
        let name = std::ffi::OsStr::from_bytes(b"\xff.json");
        fs::write(trees.tree.join(name), "of the branch\n").unwrap();
        git(&trees.tree, &["add", "--force", "--all", "."]);
        git(&trees.tree, &["commit", "-q", "-m", "A name"]);
        fs::write(trees.shop.join(".git/info/exclude"), "*.json\n").unwrap();
        fs::write(trees.shop.join(name), "of a person\n").unwrap();
        let (kind, _) = trees.refused(json!({"action": "merge"})).await;
        assert_eq!(kind, "overwrites");
        assert_eq!(fs::read(trees.shop.join(name)).unwrap(), b"of a person\n");
        fs::remove_file(trees.shop.join(name)).unwrap();
    }
    // A tracked file that becomes a folder is in nobody's way.
    fs::remove_file(trees.tree.join("data.json")).unwrap();
    fs::create_dir(trees.tree.join("data.json")).unwrap();
    trees.write("data.json/part", "of the branch\n");
    git(&trees.tree, &["add", "--force", "--all", "data.json"]);
    git(&trees.tree, &["commit", "-q", "-m", "Parts"]);
    trees.done(json!({"action": "merge"})).await;
    assert_eq!(trees.read_main("data.json/part"), "of the branch\n");
    trees.running.end().await;
}

#[tokio::test]
async fn a_rebase_does_not_drop_what_a_merge_commit_has() {
    let trees = Trees::start().await;
    trees
        .done(json!({"action": "commit", "message": "Two"}))
        .await;
    trees.commit_in_main("plums.txt", "blue\n");
    git(
        &trees.tree,
        &["merge", "-q", "--no-commit", "--no-ff", "main"],
    );
    trees.write("fix.txt", "in the merge\n");
    git(&trees.tree, &["add", "fix.txt"]);
    git(&trees.tree, &["commit", "-q", "-m", "Merge with a fix"]);
    let done = trees.done(json!({"action": "rebase"})).await;
    assert_eq!(done["text"], "worktree-a has all commits of main already");
    trees.commit_in_main("figs.txt", "green\n");
    let (kind, text) = trees.refused(json!({"action": "rebase"})).await;
    assert_eq!(kind, "merges");
    assert!(text.contains("merge it instead"), "{text}");
    assert!(trees.tree.join("fix.txt").exists());
    trees.done(json!({"action": "merge"})).await;
    assert_eq!(trees.read_main("fix.txt"), "in the merge\n");
    trees.running.end().await;
}

#[tokio::test]
async fn a_lock_of_a_person_and_what_is_left_of_a_removal_are_respected() {
    let trees = Trees::start().await;
    let lock = ["worktree", "lock", "--reason", "on a stick"];
    git(&trees.shop, &[&lock[..], &[".claude/worktrees/a"]].concat());
    let (kind, text) = trees.refused(json!({"action": "discard"})).await;
    assert_eq!(kind, "lockedWorktree");
    assert!(text.contains("(on a stick)"), "{text}");
    // Git has removed its file and the files that it may remove, and not the folder.
    fs::remove_file(trees.tree.join(".git")).unwrap();
    let (kind, text) = trees.refused(json!({"action": "discard"})).await;
    assert_eq!(kind, "noWorktree");
    assert!(text.contains("has no folder"), "{text}");
    let prompt = trees.running.prompt(ID, "Hello").await;
    assert_eq!(prompt.status, 400, "{}", prompt.body);
    trees.running.end().await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_turn_of_a_terminal_in_the_worktree_is_respected() {
    let trees = Trees::start().await;
    let folder = trees.running.folder.path().join("config/sessions");
    fs::create_dir_all(&folder).unwrap();
    let record = |status: &str, cwd: &Path| {
        let record = json!({"sessionId": "other", "cwd": cwd, "status": status});
        let name = format!("{}.json", std::process::id());
        fs::write(folder.join(name), record.to_string()).unwrap();
    };
    let commit = json!({"action": "commit", "message": "Two"});
    record("busy", &trees.tree);
    let (kind, text) = trees.refused(commit.clone()).await;
    assert_eq!(kind, "elsewhere");
    assert!(text.contains(&std::process::id().to_string()), "{text}");
    record("idle", &trees.tree);
    trees.done(commit).await;
    let expect = json!({"commits": 1, "files": 0});
    let discard = json!({"action": "discard", "expect": expect});
    assert_eq!(trees.refused(discard.clone()).await.0, "elsewhere");
    // A turn in the project's folder.
    record("busy", &trees.shop);
    assert_eq!(
        trees.refused(json!({"action": "merge"})).await.0,
        "elsewhere"
    );
    trees.done(discard).await;
    trees.running.end().await;
}

/// A session that works until the gate is open.
fn works() -> Script {
    let text = Block::text("I work.").hold(1, "worked");
    Script::new([Step::Turns(vec![Step::message([text])])])
}

#[tokio::test]
async fn nothing_is_done_while_a_turn_runs_in_the_worktree() {
    let trees = Trees::start_with(works(), None).await;
    assert_eq!(trees.running.prompt(ID, "Work").await.status, 202);
    soon(trees.running.agent.gates().reached("worked")).await;
    assert_eq!(trees.view().await["isRunning"], true);
    for body in [
        json!({"action": "commit", "message": "Two"}),
        json!({"action": "merge", "message": "Two"}),
        json!({"action": "push"}),
        json!({"action": "discard", "expect": {"commits": 0, "files": 1}}),
    ] {
        let (kind, text) = trees.refused(body).await;
        assert_eq!(kind, "running");
        assert!(text.contains("in the worktree"), "{text}");
    }
    let mut events = trees.running.events(ID, None).await;
    trees.running.agent.gates().open("worked");
    events.until("change", is_turn_end).await;
    events.until("state", is_idle).await;
    let merge = json!({"action": "merge", "message": "Two"});
    trees.done(merge).await;
    trees.running.end().await;
}

/// The files of the base are being changed.
#[tokio::test]
async fn nothing_is_merged_while_a_turn_runs_in_the_folder_of_the_base() {
    let trees = Trees::start_with(works(), None).await;
    let other = trees.running.session().await;
    assert_eq!(trees.running.prompt(&other, "Work").await.status, 202);
    soon(trees.running.agent.gates().reached("worked")).await;
    let merge = json!({"action": "merge", "message": "Two"});
    let (kind, text) = trees.refused(merge).await;
    assert_eq!(kind, "running");
    assert!(text.contains("in the project's folder"), "{text}");
    let commit = json!({"action": "commit", "message": "Two"});
    trees.done(commit).await;
    trees.running.agent.gates().open("worked");
    trees.running.end().await;
}

#[cfg(unix)]
#[tokio::test]
async fn one_operation_runs_in_a_worktree_at_a_time_and_prompts_wait_for_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let trees = Trees::start().await;
    let hook = trees.shop.join(".git/hooks/pre-commit");
    let (begun, goes) = (
        trees.shop.with_file_name("begun"),
        trees.shop.with_file_name("goes"),
    );
    for pipe in [&begun, &goes] {
        let made = Command::new("mkfifo").arg(pipe).status().unwrap();
        assert!(made.success());
    }
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    let script = format!(
        "#!/bin/sh\necho > {}\ncat {}\n",
        begun.display(),
        goes.display()
    );
    fs::write(&hook, script).unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let prompt = async {
        let waiting = trees.running.prompt(ID, "Hello there").await;
        assert_eq!(waiting.status, 202, "{}", waiting.body);
    };
    let others = async {
        let (kind, _) = trees.refused(json!({"action": "push"})).await;
        assert_eq!(kind, "busy");
        trees.view().await;
        let path = format!("/api/sessions/{ID}/elements");
        let elements = trees.running.ask("GET", &path, &Value::Null).await;
        assert!(!elements.body.contains("Hello there"), "{}", elements.body);
        let waiting = goes.clone();
        let write = tokio::task::spawn_blocking(move || fs::write(waiting, "go\n"));
        write.await.unwrap().unwrap();
    };
    let during = async {
        // The hook has begun when its pipe has a line.
        let waiting = begun.clone();
        let read = tokio::task::spawn_blocking(move || fs::read(waiting));
        read.await.unwrap().unwrap();
        tokio::join!(prompt, others)
    };
    let commit = trees.done(json!({"action": "commit", "message": "Two"}));
    let mut events = trees.running.events(ID, None).await;
    soon(Box::pin(async { tokio::join!(commit, during) })).await;
    events.until("change", is_turn_end).await;
    events.until("state", is_idle).await;
    assert_eq!(trees.refused(json!({"action": "push"})).await.0, "noRemote");
    trees.running.end().await;
}

#[tokio::test]
async fn each_obstacle_is_a_sentence_with_what_to_do() {
    let trees = Trees::start().await;
    let commit = json!({"action": "commit", "message": "Two"});
    let merge = json!({"action": "merge", "message": "Two"});
    // Another git has the index.
    let own = trees.shop.join(".git/worktrees/a");
    fs::write(own.join("index.lock"), "").unwrap();
    let (kind, text) = trees.refused(commit.clone()).await;
    assert_eq!(kind, "locked");
    assert!(text.contains("worktrees/a/index.lock"), "{text}");
    assert!(trees.view().await["problem"].is_string());
    fs::remove_file(own.join("index.lock")).unwrap();
    fs::write(trees.shop.join(".git/index.lock"), "").unwrap();
    assert_eq!(trees.refused(merge.clone()).await.0, "locked");
    fs::remove_file(trees.shop.join(".git/index.lock")).unwrap();
    // Git has no name and address for commits.
    git(&trees.shop, &["config", "--unset", "user.name"]);
    git(&trees.shop, &["config", "user.useConfigOnly", "true"]);
    git(&trees.shop, &["config", "user.name", ""]);
    let (kind, text) = trees.refused(commit.clone()).await;
    assert_eq!(kind, "identity");
    assert!(text.contains("git config --global user.name"), "{text}");
    git(&trees.shop, &["config", "user.name", "A User"]);
    // The project's folder has changes.
    fs::write(trees.shop.join("apples.txt"), "mine\n").unwrap();
    let (kind, text) = trees.refused(merge.clone()).await;
    assert_eq!(kind, "dirty");
    assert!(text.contains("commit or stash them"), "{text}");
    assert_eq!(trees.view().await["state"]["uncommitted"], 1);
    git(&trees.shop, &["checkout", "-q", "apples.txt"]);
    // No branch is checked out.
    git(&trees.shop, &["checkout", "-q", "--detach"]);
    assert_eq!(trees.refused(merge.clone()).await.0, "noBase");
    let state = json!({"base": null, "ahead": null, "behind": null, "uncommitted": 1});
    assert_eq!(trees.view().await["state"], state);
    git(&trees.shop, &["switch", "-q", "main"]);
    git(&trees.tree, &["checkout", "-q", "--detach"]);
    let (kind, text) = trees.refused(commit.clone()).await;
    assert_eq!(kind, "detached");
    assert!(text.contains("git switch -c"), "{text}");
    let view = trees.view().await;
    assert_eq!(view["branch"], Value::Null);
    assert_eq!(view["problem"], *text);
    git(&trees.tree, &["switch", "-q", "worktree-a"]);
    // Somebody's rebase has not ended.
    fs::create_dir(own.join("rebase-merge")).unwrap();
    let (kind, text) = trees.refused(commit.clone()).await;
    assert_eq!(kind, "inProgress");
    assert!(
        text.contains("a rebase has begun in the worktree"),
        "{text}"
    );
    fs::remove_dir(own.join("rebase-merge")).unwrap();
    // Another branch is in the worktree.
    git(&trees.tree, &["switch", "-q", "-c", "other"]);
    let discard = json!({"action": "discard", "expect": {"commits": 0, "files": 1}});
    let (kind, text) = trees.refused(discard).await;
    assert_eq!(kind, "otherBranch");
    assert!(text.contains("worktree-a"), "{text}");
    let done = trees.done(commit).await;
    assert_eq!(done["text"], "1 file is committed on other");
    // A session without a worktree.
    let plain = trees.running.session().await;
    let path = format!("/api/sessions/{plain}/worktree");
    for method in ["GET", "POST"] {
        let none = trees
            .running
            .ask(method, &path, &json!({"action": "push"}))
            .await;
        assert_eq!(none.status, 409, "{}", none.body);
        assert_eq!(none.json()["error"]["kind"], "noWorktree");
    }
    trees.running.end().await;
}

#[tokio::test]
async fn what_is_no_request_is_refused_before_anything_is_done() {
    let trees = Trees::start().await;
    let before = head(&trees.tree);
    let long = "a".repeat((64 << 10) + 1);
    for (body, status) in [
        (json!({"action": "commit"}), 400),
        (json!({"action": "commit", "message": " \n"}), 400),
        (json!({"action": "commit", "message": "a\u{0}b"}), 400),
        (json!({"action": "commit", "message": long}), 400),
        (json!({"action": "pullRequest"}), 400),
        (json!({"action": "pullRequest", "title": "a\nb"}), 400),
        (json!({"action": "reset"}), 422),
        (json!({"action": "push", "remote": "--upload-pack=x"}), 422),
        (json!({"action": "discard", "expect": [1, 1]}), 422),
        (json!({}), 422),
    ] {
        assert_eq!(trees.post(body.clone()).await.status, status, "{body}");
    }
    assert_eq!(head(&trees.tree), before);
    trees.running.end().await;
}

/// What a transcript names is not believed.
#[tokio::test]
async fn no_folder_but_a_worktree_of_the_project_is_touched() {
    let trees = Trees::start().await;
    let commit = json!({"action": "commit", "message": "Two"});
    // The folder lost its link to the repository: git would find the repository above it.
    let link = trees.tree.join(".git");
    let text = fs::read_to_string(&link).unwrap();
    fs::remove_file(&link).unwrap();
    let (kind, _) = trees.refused(commit.clone()).await;
    assert_eq!(kind, "noWorktree");
    // The folder belongs to another repository.
    let other = trees.shop.with_file_name("other");
    fs::create_dir(&other).unwrap();
    repository(&other);
    git(&other, &["worktree", "add", "-q", "-b", "b", "b"]);
    let foreign = fs::read_to_string(other.join("b/.git")).unwrap();
    fs::write(&link, foreign).unwrap();
    let (kind, text_of) = trees.refused(commit.clone()).await;
    assert_eq!(kind, "noWorktree", "{text_of}");
    fs::write(&link, text).unwrap();
    trees.done(commit).await;
    let log = git(&trees.shop, &["log", "--format=%s", "main"]);
    assert_eq!(log, "Apples\n");
    trees.running.end().await;
}

#[tokio::test]
async fn lists_have_the_state_of_worktrees_without_waiting_for_it() {
    let trees = Trees::start().await;
    trees.commit_in_main("plums.txt", "blue\n");
    let running = &trees.running;
    let expected = json!({"base": "main", "ahead": 0, "behind": 1, "uncommitted": 1});
    let mut events = Stream::open(running, "/stream").await;
    // The stream has begun.
    events.until_event("activity", |_| true).await;
    let list = async || {
        let list = running.ask("GET", "/api/sessions", &Value::Null).await;
        list.json()["sessions"][0].clone()
    };
    let first = list().await;
    assert_eq!(first["id"], ID);
    assert_eq!(first.get("worktree"), None);
    let edited = events.until_event("edited", |_| true).await;
    assert_eq!(edited, json!({"id": ID, "worktree": expected}));
    assert_eq!(list().await["worktree"], expected);
    // An entry is read now, and an operation updates all lists.
    trees.write("pears.txt", "sweet\n");
    let path = format!("/api/sessions/{ID}/entry");
    let entry = running.ask("GET", &path, &Value::Null).await.json();
    assert_eq!(entry["worktree"]["uncommitted"], 2);
    let edited = events.until_event("edited", |_| true).await;
    assert_eq!(edited["worktree"]["uncommitted"], 2);
    trees
        .done(json!({"action": "commit", "message": "Two"}))
        .await;
    let edited = events.until_event("edited", |_| true).await;
    assert_eq!(edited["worktree"]["ahead"], 1);
    trees.running.end().await;
}

/// A session behind a wall can write hooks, which would run outside of it.
#[cfg(unix)]
#[tokio::test]
async fn nothing_is_done_with_a_worktree_behind_a_wall() {
    let folder = tempfile::tempdir().unwrap();
    let yard = folder.path().join("yard");
    fs::create_dir(&yard).unwrap();
    repository(&yard);
    let mut project = Project::new(&yard).unwrap();
    project.wall = Some(Wall::new("fence", ["env", "--"]));
    let running = Running::start_in(Script::reply("Hi."), folder, |builder| {
        builder.project(project)
    });
    let running = running.await;
    let new = json!({"project": "yard", "worktree": {"name": "a"}});
    let begun = running.ask("POST", "/api/sessions", &new).await;
    assert_eq!(begun.status, 201, "{}", begun.body);
    let id = begun.json()["id"].as_str().unwrap().to_owned();
    let folder = ".claude/worktrees/a";
    git(
        &yard,
        &["worktree", "add", "-q", "-b", "worktree-a", folder],
    );
    let path = format!("/api/sessions/{id}/worktree");
    for (method, body) in [
        ("GET", Value::Null),
        ("POST", json!({"action": "commit", "message": "Two"})),
    ] {
        let refused = running.ask(method, &path, &body).await;
        assert_eq!(refused.status, 409, "{}", refused.body);
        assert_eq!(refused.json()["error"]["kind"], "wall");
    }
    running.end().await;
}
