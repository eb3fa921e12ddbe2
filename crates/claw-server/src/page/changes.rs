//! The page with the changes of a session: one folded section for each file.

use std::io::{self, Write};

use claw_view::diff::FileStatus;
use claw_view::html::Html;

use super::may::May;
use super::shell::{end, heading, start};
use crate::changes::{ChangeSource, ChangedFile, Changes, Workspace};
use crate::worktree::Worktree;

/// Maximum number of diff lines that a page contains at first. The page fetches the lines of further files when a
/// person unfolds them.
const LINES: usize = 600;

/// Writes the page for `GET /s/{id}/changes`.
pub(super) fn page(
    id: &str,
    title: &str,
    worktree: Option<&Worktree>,
    changes: &Changes,
    may: &May,
) -> String {
    Html::fragment(|html| {
        start(
            html,
            &format!("Changes: {title}"),
            Some("changes.js"),
            Some((id, None)),
            Some(may),
        )?;
        html.raw("<header class=\"top\"><nav aria-label=\"Up\"><a href=\"/s/")?;
        html.text(id)?;
        html.raw("\"><span aria-hidden=\"true\">‹&nbsp;</span>Session</a></nav>")?;
        heading(html, "Changes")?;
        html.raw(
            "<button id=\"unfold-all\" class=\"quiet\" type=\"button\" hidden>Unfold all</button>",
        )?;
        html.raw("<div class=\"status\"><span class=\"of-session\">")?;
        html.text(title)?;
        html.raw("</span>")?;
        if let Some(worktree) = worktree {
            html.raw("<span class=\"branch\"><span class=\"unseen\">Branch </span>")?;
            html.text(&worktree.branch)?;
            html.raw("</span>")?;
        }
        html.raw("<a class=\"beside\" href=\"\">Reload</a></div><p id=\"trouble\" class=\"note bad\" role=\"alert\" hidden></p></header><main id=\"main\">")?;
        if worktree.is_some() {
            html.raw("<section id=\"finish\" class=\"own-tree\" aria-labelledby=\"finish-title\" hidden><h2 id=\"finish-title\">Worktree</h2></section>")?;
        }
        let has_lines = changes.files.iter().any(|file| !file.diff.hunks.is_empty());
        if has_lines && may.does("sendPrompt") {
            html.raw("<p class=\"about-changes\">Choose the number of a line to comment on it. Shift or a long press chooses several lines. All comments are sent as one prompt.</p>")?;
        }
        let mut left = LINES;
        list(html, changes, ChangeSource::Edits, &mut left)?;
        list(html, changes, ChangeSource::Workspace, &mut left)?;
        if !changes.whole {
            html.raw(
                "<p class=\"note warning\">There are more changed files than are listed here.</p>",
            )?;
        }
        if let Some(problem) = changes.workspace.as_ref().and_then(problem) {
            html.raw("<p class=\"about-changes\">")?;
            html.raw(problem)?;
            html.raw("</p>")?;
        }
        html.raw("</main>")?;
        end(html)
    })
}

/// Writes the lines of one file's diff, and the notes about the file.
pub(super) fn lines(file: &ChangedFile) -> String {
    Html::fragment(|html| body(html, file))
}

/// Writes the changed files whose diffs have this source.
fn list<W: Write>(
    html: &mut Html<W>,
    changes: &Changes,
    source: ChangeSource,
    left: &mut usize,
) -> io::Result<()> {
    let files = changes.files.iter();
    let files: Vec<_> = files.filter(|file| file.source == source).collect();
    if source == ChangeSource::Edits {
        html.raw("<h2>By this session</h2><p class=\"about-changes\">")?;
        if files.is_empty() {
            html.raw("The tools of this session have changed no file.</p>")?;
            return Ok(());
        }
        totals(html, &files)?;
        html.raw(", compared with the files before the session.</p>")?;
    } else if files.is_empty() {
        return Ok(());
    } else {
        html.raw("<h2>Also changed in the repository</h2><p class=\"about-changes\">")?;
        totals(html, &files)?;
        let base = changes.workspace.as_ref();
        match base.and_then(|workspace| workspace.base_branch.as_deref()) {
            Some(branch) => {
                html.raw(", compared with the branch ")?;
                html.text(branch)?;
            }
            None => html.raw(", compared with the last commit")?,
        }
        html.raw(". A command may have made these changes, or somebody before the session.</p>")?;
    }
    html.raw("<div class=\"changes\">")?;
    for file in &files {
        section(html, file, files.len() == 1, left)?;
    }
    html.raw("</div>")
}

/// Writes the number of files, and the numbers of inserted and deleted lines.
fn totals<W: Write>(html: &mut Html<W>, files: &[&ChangedFile]) -> io::Result<()> {
    let sum = |of: fn(&ChangedFile) -> u64| files.iter().map(|file| of(file)).sum();
    let count = files.len();
    html.text(&format!(
        "{count} {}: ",
        if count == 1 { "file" } else { "files" }
    ))?;
    counts(
        html,
        sum(|file| file.diff.added),
        sum(|file| file.diff.removed),
    )
}

fn counts<W: Write>(html: &mut Html<W>, added: u64, removed: u64) -> io::Result<()> {
    html.raw("<span class=\"counts\"><span class=\"plus\">+")?;
    html.text(&added.to_string())?;
    html.raw("<span class=\"unseen\"> lines added</span></span> <span class=\"minus\">−")?;
    html.text(&removed.to_string())?;
    html.raw("<span class=\"unseen\"> lines removed</span></span></span>")
}

fn section<W: Write>(
    html: &mut Html<W>,
    file: &ChangedFile,
    is_open: bool,
    left: &mut usize,
) -> io::Result<()> {
    let hunks = file.diff.hunks.iter();
    let length: usize = hunks.map(|hunk| hunk.lines.len()).sum();
    let is_lazy = file.truncated || length > *left;
    html.raw("<details class=\"change\" data-file=\"")?;
    html.text(&file.diff.path)?;
    html.raw("\"")?;
    if is_lazy {
        html.raw(" data-path=\"")?;
        html.text(&file.diff.path)?;
        html.raw("\"")?;
    }
    html.raw(if is_open && !is_lazy { " open>" } else { ">" })?;
    html.raw("<summary><span class=\"path\">")?;
    if let Some(old) = &file.diff.old_path {
        html.text(old)?;
        html.raw(" → ")?;
    }
    html.text(&file.diff.path)?;
    html.raw("</span><span class=\"size\"><span class=\"kind\">")?;
    html.raw(kind(file.diff.status))?;
    html.raw("</span> ")?;
    counts(html, file.diff.added, file.diff.removed)?;
    html.raw("</span></summary><div class=\"body\">")?;
    if is_lazy {
        html.raw("<p class=\"about-changes\">Loading…</p>")?;
    } else {
        *left -= length;
        body(html, file)?;
    }
    html.raw("</div></details>")
}

fn kind(status: FileStatus) -> &'static str {
    match status {
        FileStatus::Added => "new",
        FileStatus::Deleted => "deleted",
        FileStatus::Renamed => "renamed",
        FileStatus::Copied => "copied",
        _ => "changed",
    }
}

fn body<W: Write>(html: &mut Html<W>, file: &ChangedFile) -> io::Result<()> {
    let mut note = |text: &'static str| {
        html.raw("<p class=\"about-changes\">")?;
        html.raw(text)?;
        html.raw("</p>")
    };
    if !file.inside {
        note(
            "This file is outside of the project. The server does not read it: the diff ends with the last edit.",
        )?;
    }
    if !file.combined {
        note(
            "The file before the session is not known. These are the single edits, one after the other.",
        )?;
    }
    if file.truncated {
        note("The diff is not whole: it is too long, or the CLI does not show it.")?;
    }
    if file.diff.binary {
        note("This is a binary file.")?;
    } else if file.diff.hunks.is_empty() && !file.truncated {
        note("There are no lines to show.")?;
    }
    if file.diff.hunks.is_empty() {
        return Ok(());
    }
    html.diff_lines(&file.diff)
}

/// Returns a text with the reason why the changes of the repository are unknown. Returns `None` if no reason is shown.
fn problem(workspace: &Workspace) -> Option<&'static str> {
    Some(match workspace.problem.as_deref()? {
        "no-repository" => {
            "The project is in no git repository: files that commands have changed are not listed."
        }
        _ => {
            "The CLI could not say what has changed in the repository: files that commands have changed are not listed."
        }
    })
}
