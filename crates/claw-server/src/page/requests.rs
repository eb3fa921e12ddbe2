//! The requests of a session to a person, as forms.

use std::io::{self, Write};
use std::path::Path;

use claw_types::options::PermissionMode;
use claw_types::tool::ToolInput;
use claw_view::diff::{Contents, FileDiff};
use claw_view::html::Html;
use claw_view::offered_change;
use serde_json::Value;

use super::folded::long;
use super::forms;
use super::may::May;
use crate::changes::Place;
use crate::conversation::{Pending, RequestKind};

/// The operation that answers a request.
const ANSWER: &str = "answerRequest";

/// The fields of a tool's input that the diff of a file already shows.
const IN_CHANGE: [&str; 8] = [
    "file_path",
    "notebook_path",
    "old_string",
    "new_string",
    "content",
    "new_source",
    "edits",
    "replace_all",
];

/// Writes the form of a waiting request. The form has no submit button, because a browser would press it when a person
/// presses Enter. The page's script handles the keys instead. If the person may not answer, the form has no controls,
/// and names the roles that may answer. Blocks, because it reads the file that would be changed, if this file is in the
/// project of the session.
pub(super) fn form(request: &Pending, may: &May, files: &Place) -> String {
    let answers = may.does(ANSWER);
    Html::fragment(|html| {
        html.raw("<form class=\"request\" novalidate data-title=\"")?;
        html.text(&name(request))?;
        if let Some(tool_use) = &request.tool_use_id {
            html.raw("\" data-tool=\"e-")?;
            html.text(tool_use.as_str())?;
        }
        html.raw("\"><h2>")?;
        html.text(&title(request))?;
        html.raw("</h2>")?;
        if let Some(agent) = &request.agent {
            html.raw("<p class=\"by-agent\">The agent “")?;
            html.text(agent)?;
            html.raw("” asks.</p>")?;
        }
        match (request.kind, &request.form) {
            (_, Some(form)) => forms::body(html, request, form, answers),
            (RequestKind::Questions, _) => questions(html, request, answers),
            (RequestKind::Plan, _) => plan(html, request, answers),
            _ => permission(html, request, may, files),
        }?;
        if !answers {
            html.raw("<p class=\"note\">It waits for an answer. Only people with the role ")?;
            html.text(&may.who(ANSWER))?;
            html.raw(" may answer it.</p>")?;
        }
        html.raw("<p class=\"note bad trouble\" role=\"alert\" hidden></p></form>")
    })
}

/// Returns the title of the request, without the contents of the request.
fn name(request: &Pending) -> String {
    match request.kind {
        RequestKind::Permission => format!("Allow {}?", request.title),
        RequestKind::Questions | RequestKind::Plan => title(request),
        _ => request.title.clone(),
    }
}

/// Returns the heading of the request's form. The heading does not repeat what the form shows below it.
fn title(request: &Pending) -> String {
    if let Some(form) = &request.form {
        return format!("{} asks", form.from);
    }
    match request.kind {
        RequestKind::Questions => "Claude asks".to_owned(),
        RequestKind::Plan if plan_of(request).is_some() => "Claude has a plan".to_owned(),
        RequestKind::Plan => "Claude wants to begin without a plan".to_owned(),
        _ => match &request.tool {
            // The form shows the input below the heading, so the heading contains only the name of the tool.
            Some(tool) => format!("Allow {tool}?"),
            None => format!("Allow {}?", request.title),
        },
    }
}

/// Returns the command that a tool would run.
fn command(input: &Value) -> Option<&str> {
    input["command"].as_str()
}

/// Parses the input of the tool.
fn input_of(request: &Pending) -> Value {
    request.input.parse().unwrap_or_default()
}

/// Returns the change that a tool would make. It has line numbers if the file is in the project. No other file is read,
/// because the path comes from the session, which may run behind a wall, and the change is shown to all viewers.
fn change(input: &ToolInput, files: &Place) -> Option<FileDiff> {
    let path = match input {
        ToolInput::Edit(edit) => &edit.file_path,
        ToolInput::MultiEdit(edit) => &edit.file_path,
        ToolInput::Write(write) => &write.file_path,
        _ => return FileDiff::of_input(input),
    };
    match files.now(Path::new(path)) {
        Contents::Text(text) => FileDiff::of_input_in(input, &text),
        _ => FileDiff::of_input(input),
    }
}

fn permission<W: Write>(
    html: &mut Html<W>,
    request: &Pending,
    may: &May,
    files: &Place,
) -> io::Result<()> {
    let input = input_of(request);
    let parts = || input.as_object().into_iter().flatten();
    let is_part = |text: &str| parts().any(|(_, value)| value == text);
    let command = command(&input);
    // The description is left out if the shown fields of the input already contain it.
    let description = request.description.as_deref();
    if let Some(description) = description.filter(|text| command.is_some() || !is_part(text)) {
        html.raw("<p>")?;
        html.text(description)?;
        html.raw("</p>")?;
    }
    let tool = request.tool.as_deref().unwrap_or_default();
    let tool_input = ToolInput::of(tool, &request.input).ok();
    let diff = tool_input.and_then(|input| change(&input, files));
    if let Some(diff) = diff.filter(|diff| !diff.hunks.is_empty()) {
        html.diff(&diff)?;
        if input["replace_all"] == true {
            html.raw("<p>Every occurrence is replaced.</p>")?;
        }
        rest(html, &input, &IN_CHANGE)?;
    } else if let Some(command) = command {
        long(html, command)?;
        let is_above = description == input["description"].as_str();
        let above: &[_] = if is_above {
            &["command", "description"]
        } else {
            &["command"]
        };
        rest(html, &input, above)?;
    } else {
        rest(html, &input, &[])?;
    }
    let directory = request.directory.as_deref();
    place(
        html,
        "The turn began in ",
        directory.filter(|_| command.is_some()),
    )?;
    match request.asked_path() {
        Some(path) if is_part(&path.path) && path.is_outside => {
            html.raw("<p>It is outside of the session's folders.</p>")?;
        }
        Some(path) if is_part(&path.path) => {}
        Some(path) => place(html, path.words(), Some(&path.path))?,
        None => {}
    }
    if let Some(reason) = &request.reason {
        html.raw("<p>Why it is asked: ")?;
        html.text(reason)?;
        html.raw("</p>")?;
    }
    if !may.does(ANSWER) {
        return Ok(());
    }
    reason(html)?;
    html.raw("<div class=\"answers\"><button type=\"button\" class=\"strong\" value=\"allow\">Allow once</button><button type=\"button\" class=\"stop\" value=\"deny\">Deny</button>")?;
    // A person must see everything that the person allows. So a suggestion without a description is not offered.
    let offered = request.suggestions.iter().map(offered_change).enumerate();
    let may_always = request.may_always && may.does("answerRequest.always");
    for (place, change) in offered.filter(|_| may_always) {
        let Some(change) = change else { continue };
        html.raw(
            "<button type=\"button\" class=\"always\" value=\"allowAlways\" data-suggestion=\"",
        )?;
        html.text(&place.to_string())?;
        html.raw(if change.is_wide {
            "\" data-wide=\"\"><span>"
        } else {
            "\"><span>"
        })?;
        html.text(&change.label)?;
        html.raw("</span><small>")?;
        html.text(&change.details)?;
        html.raw("</small></button>")?;
    }
    html.raw("</div>")
}

fn reason<W: Write>(html: &mut Html<W>) -> io::Result<()> {
    html.raw(
        "<label><span>A message to Claude, if you deny</span><input type=\"text\" name=\"message\" placeholder=\"A message to Claude, if you deny\" autocomplete=\"off\"></label>",
    )
}

/// Writes the fields of an input that are not in `above`, one per line. A person must see everything that the person
/// allows.
fn rest<W: Write>(html: &mut Html<W>, input: &Value, above: &[&str]) -> io::Result<()> {
    let mut lines = Vec::new();
    match input {
        Value::Null => {}
        Value::Object(parts) => {
            let parts = parts
                .iter()
                .filter(|(name, _)| !above.contains(&name.as_str()));
            parts.for_each(|(name, value)| value_lines(&mut lines, 0, name, value));
        }
        other => value_lines(&mut lines, 0, "input", other),
    }
    if lines.is_empty() {
        return Ok(());
    }
    long(html, &lines.join("\n"))
}

/// Writes a name with its value. Nested values are indented. So no text can look like another field.
fn value_lines(lines: &mut Vec<String>, depth: usize, name: &str, value: &Value) {
    let margin = "  ".repeat(depth);
    // The name comes from the model's input and may contain line breaks, so they are replaced.
    let name = name.replace(['\n', '\r'], " ");
    let inside = match value {
        Value::Object(parts) if !parts.is_empty() => {
            let parts = parts.iter().map(|(name, value)| (name.clone(), value));
            parts.collect::<Vec<_>>()
        }
        Value::Array(items) if !items.is_empty() => {
            let items = items.iter().enumerate();
            items
                .map(|(at, value)| ((at + 1).to_string(), value))
                .collect()
        }
        Value::String(text) if text.contains(['\n', '\r']) => {
            lines.push(format!("{margin}{name}:"));
            for line in text.split(['\n', '\r']) {
                lines.push(format!("{margin}  {line}"));
            }
            return;
        }
        Value::String(text) => {
            lines.push(format!("{margin}{name}: {text}"));
            return;
        }
        other => {
            lines.push(format!("{margin}{name}: {other}"));
            return;
        }
    };
    lines.push(format!("{margin}{name}:"));
    for (name, value) in inside {
        value_lines(lines, depth + 1, &name, value);
    }
}

/// Writes a path that is relevant for the decision. Writes nothing if `path` is `None`.
fn place<W: Write>(html: &mut Html<W>, text: &'static str, path: Option<&str>) -> io::Result<()> {
    let Some(path) = path else { return Ok(()) };
    html.raw("<p>")?;
    html.raw(text)?;
    html.raw("<code>")?;
    html.text(path)?;
    html.raw("</code></p>")
}

fn questions<W: Write>(html: &mut Html<W>, request: &Pending, answers: bool) -> io::Result<()> {
    let input = input_of(request);
    let questions = input["questions"].as_array().into_iter().flatten();
    for (number, question) in questions.enumerate() {
        let text = question["question"].as_str().unwrap_or_default();
        let kind = match question["multiSelect"].as_bool() {
            Some(true) => "<input type=\"checkbox\" name=\"question-",
            _ => "<input type=\"radio\" name=\"question-",
        };
        html.raw("<fieldset data-question=\"")?;
        html.text(text)?;
        html.raw("\"><legend>")?;
        if let Some(header) = question["header"]
            .as_str()
            .filter(|header| !header.is_empty())
        {
            html.raw("<small class=\"header\">")?;
            html.text(header)?;
            html.raw("</small> ")?;
        }
        html.text(text)?;
        html.raw("</legend>")?;
        for option in question["options"].as_array().into_iter().flatten() {
            let label = option["label"]
                .as_str()
                .or_else(|| option.as_str())
                .unwrap_or_default();
            html.raw(if answers {
                "<label class=\"choice\">"
            } else {
                "<p class=\"choice\">"
            })?;
            if answers {
                html.raw(kind)?;
                html.text(&number.to_string())?;
                html.raw("\" value=\"")?;
                html.text(label)?;
                html.raw("\">")?;
            }
            html.raw("<span>")?;
            html.text(label)?;
            if let Some(description) = option["description"].as_str() {
                html.raw("<small>")?;
                html.text(description)?;
                html.raw("</small>")?;
            }
            html.raw(if answers {
                "</span></label>"
            } else {
                "</span></p>"
            })?;
            if let Some(preview) = option["preview"].as_str().filter(|text| !text.is_empty()) {
                html.raw("<div class=\"preview markdown\">")?;
                html.markdown(preview)?;
                html.raw("</div>")?;
            }
        }
        if answers {
            html.raw(
                "<label><span>Something else</span><input type=\"text\" autocomplete=\"off\"></label>",
            )?;
        }
        html.raw("</fieldset>")?;
    }
    if !answers {
        return Ok(());
    }
    html.raw(
        "<div class=\"answers\"><button type=\"button\" class=\"strong\" value=\"allow\">Answer</button><button type=\"button\" class=\"stop\" value=\"deny\">Do not answer</button></div>",
    )
}

/// Returns the proposed plan. Returns `None` if the plan is empty.
fn plan_of(request: &Pending) -> Option<&str> {
    let plan = request.plan.as_deref();
    plan.filter(|plan| !plan.trim().is_empty())
}

fn plan<W: Write>(html: &mut Html<W>, request: &Pending, answers: bool) -> io::Result<()> {
    if let Some(plan) = plan_of(request) {
        html.raw("<div class=\"markdown\">")?;
        html.markdown(plan)?;
        html.raw("</div>")?;
    } else {
        html.raw(
            "<p>There is no plan to approve: Claude has written none. Have it go on planning, and say what the plan should have; or let it begin without one.</p>",
        )?;
    }
    if !answers {
        return Ok(());
    }
    reason(html)?;
    let may_accept_edits = request.modes.contains(&PermissionMode::AcceptEdits);
    html.raw("<div class=\"answers\">")?;
    if plan_of(request).is_some() {
        html.raw(
            "<button type=\"button\" class=\"strong\" value=\"allow\">Approve the plan</button>",
        )?;
        if may_accept_edits {
            html.raw("<button type=\"button\" value=\"allow\" data-mode=\"acceptEdits\">Approve, and accept edits</button>")?;
        }
        html.raw("<button type=\"button\" class=\"stop\" value=\"deny\">Keep planning</button>")?;
    } else {
        html.raw("<button type=\"button\" class=\"strong\" value=\"deny\">Keep planning</button><button type=\"button\" value=\"allow\">Begin without a plan</button>")?;
    }
    html.raw("</div>")?;
    if may_accept_edits && plan_of(request).is_some() {
        html.raw("<p><small>To accept edits means that files in the session's folders are changed and deleted without asking.</small></p>")?;
    }
    Ok(())
}
