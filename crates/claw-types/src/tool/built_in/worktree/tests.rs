use serde_json::json;

use super::super::holds::holds;
use super::*;

#[test]
fn enter() {
    let input = EnterWorktreeInput::new().name("try").path("/w/try");
    holds(&input, &json!({"name": "try", "path": "/w/try"}), &[]);
    let output = EnterWorktreeOutput::new("/w/try", "Here").worktree_branch("try");
    holds(
        &output,
        &json!({"worktreePath": "/w/try", "message": "Here", "worktreeBranch": "try"}),
        &[],
    );
}

#[test]
fn exit() {
    let input = ExitWorktreeInput::new(WorktreeExit::Remove).discard_changes(true);
    holds(
        &input,
        &json!({"action": "remove", "discard_changes": true}),
        &[],
    );
    let output = ExitWorktreeOutput::new(WorktreeExit::Keep, "/w", "/w/try", "Back")
        .worktree_branch("try")
        .tmux_session_name("w")
        .discarded_files(1)
        .discarded_commits(2)
        .restored_cwd("/w")
        .original_cwd_missing(false);
    holds(
        &output,
        &json!({
            "action": "keep", "originalCwd": "/w", "worktreePath": "/w/try",
            "worktreeBranch": "try", "tmuxSessionName": "w", "discardedFiles": 1,
            "discardedCommits": 2, "restoredCwd": "/w", "originalCwdMissing": false,
            "message": "Back"
        }),
        &[],
    );
}
