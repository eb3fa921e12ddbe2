//! What a session asks a person, as forms.

use std::io::{self, Write};

use claw_types::tool::ToolInput;
use claw_view::diff::FileDiff;
use claw_view::html::Html;
use serde_json::Value;

use crate::room::{Pending, RequestKind};

/// The maximum length of an input that is shown as JSON, in characters.
const LONGEST_INPUT: usize = 4_000;

/// The form of a pending request.
pub(super) fn form(request: &Pending) -> String {
    Html::fragment(|html| {
        html.raw("<form class=\"request\"><h2>")?;
        html.text(&title(request))?;
        html.raw("</h2>")?;
        match request.kind {
            RequestKind::Questions => questions(html, request),
            RequestKind::Plan => plan(html, request),
            RequestKind::Permission => permission(html, request),
        }?;
        html.raw("<p class=\"note bad trouble\" role=\"alert\" hidden></p></form>")
    })
}

fn title(request: &Pending) -> String {
    match request.kind {
        RequestKind::Questions => "Claude asks".to_owned(),
        RequestKind::Plan => "Claude has a plan".to_owned(),
        RequestKind::Permission => format!("Allow {}?", request.title),
    }
}

/// The input of the tool, to look into.
fn input_of(request: &Pending) -> Value {
    request.input.parse().unwrap_or_default()
}

fn permission<W: Write>(html: &mut Html<W>, request: &Pending) -> io::Result<()> {
    if let Some(description) = &request.description {
        html.raw("<p>")?;
        html.text(description)?;
        html.raw("</p>")?;
    }
    let diff = ToolInput::of(&request.tool, &request.input).ok();
    match diff.and_then(|input| FileDiff::of_input(&input)) {
        Some(diff) => html.diff(&diff)?,
        None => input(html, &input_of(request))?,
    }
    let suggestions = if request.may_always {
        &request.suggestions[..]
    } else {
        &[]
    };
    if !suggestions.is_empty() {
        html.raw("<fieldset><legend>If always:</legend>")?;
        for (number, suggestion) in suggestions.iter().enumerate() {
            html.raw("<label class=\"choice\"><input type=\"checkbox\" name=\"suggestion\" checked value=\"")?;
            html.text(&number.to_string())?;
            html.raw("\"><span>")?;
            let suggestion = serde_json::to_value(suggestion)?;
            html.text(&suggested(&suggestion))?;
            html.raw("</span></label>")?;
        }
        html.raw("</fieldset>")?;
    }
    reason(html)?;
    html.raw("<div class=\"answers\"><button class=\"strong\" value=\"allow\">Allow</button>")?;
    if !suggestions.is_empty() {
        html.raw("<button value=\"allowAlways\">Always allow</button>")?;
    }
    html.raw("<button class=\"stop\" value=\"deny\">Deny</button></div>")
}

fn reason<W: Write>(html: &mut Html<W>) -> io::Result<()> {
    html.raw(
        "<label><span>A message to Claude, if you deny</span><input type=\"text\" name=\"message\" autocomplete=\"off\"></label>",
    )
}

/// The input of a tool: a command as it is, anything else as JSON.
fn input<W: Write>(html: &mut Html<W>, input: &Value) -> io::Result<()> {
    if input.is_null() {
        return Ok(());
    }
    let whole = match input["command"].as_str() {
        Some(command) => command.to_owned(),
        None => serde_json::to_string_pretty(input).unwrap_or_default(),
    };
    let end = whole.char_indices().nth(LONGEST_INPUT).map(|(end, _)| end);
    let (shown, rest) = whole.split_at(end.unwrap_or(whole.len()));
    html.raw("<pre tabindex=\"0\">\n")?;
    html.text(shown)?;
    html.raw("</pre>")?;
    if !rest.is_empty() {
        // Nobody can allow what is not shown.
        html.raw("<details><summary>The rest</summary><pre tabindex=\"0\">\n")?;
        html.text(rest)?;
        html.raw("</pre></details>")?;
    }
    Ok(())
}

/// A suggested change of the permissions, in words.
fn suggested(suggestion: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let place = match suggestion["destination"].as_str() {
        Some("session") => " for this session",
        Some("localSettings") => " in this project, for you",
        Some("projectSettings") => " in this project, for everybody",
        Some("userSettings") => " in all your projects",
        _ => "",
    };
    let what = match suggestion["type"].as_str() {
        Some("addRules") => {
            let rules = suggestion["rules"].as_array().into_iter().flatten();
            let rules = rules.map(|rule| match rule["ruleContent"].as_str() {
                Some(content) => format!("{}({content})", text(&rule["toolName"])),
                None => text(&rule["toolName"]),
            });
            let rules: Vec<_> = rules.collect();
            let behavior = suggestion["behavior"].as_str().unwrap_or("allow");
            format!("{behavior} {}", rules.join(", "))
        }
        Some("setMode") => format!("permission mode {}", text(&suggestion["mode"])),
        Some("addDirectories") => {
            let folders = suggestion["directories"].as_array().into_iter().flatten();
            let folders: Vec<_> = folders.map(text).collect();
            format!("work in {}", folders.join(", "))
        }
        _ => suggestion.to_string(),
    };
    format!("{what}{place}")
}

fn questions<W: Write>(html: &mut Html<W>, request: &Pending) -> io::Result<()> {
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
        html.text(text)?;
        html.raw("</legend>")?;
        for option in question["options"].as_array().into_iter().flatten() {
            let label = option["label"]
                .as_str()
                .or_else(|| option.as_str())
                .unwrap_or_default();
            html.raw("<label class=\"choice\">")?;
            html.raw(kind)?;
            html.text(&number.to_string())?;
            html.raw("\" value=\"")?;
            html.text(label)?;
            html.raw("\"><span>")?;
            html.text(label)?;
            if let Some(description) = option["description"].as_str() {
                html.raw("<small>")?;
                html.text(description)?;
                html.raw("</small>")?;
            }
            html.raw("</span></label>")?;
        }
        html.raw(
            "<label><span>Something else</span><input type=\"text\" autocomplete=\"off\"></label></fieldset>",
        )?;
    }
    html.raw(
        "<div class=\"answers\"><button class=\"strong\" value=\"allow\">Answer</button><button class=\"stop\" value=\"deny\">Do not answer</button></div>",
    )
}

fn plan<W: Write>(html: &mut Html<W>, request: &Pending) -> io::Result<()> {
    html.raw("<div class=\"markdown\">")?;
    html.markdown(request.plan.as_deref().unwrap_or_default())?;
    html.raw("</div>")?;
    reason(html)?;
    html.raw(
        "<div class=\"answers\"><button class=\"strong\" value=\"allow\">Approve the plan</button><button class=\"stop\" value=\"deny\">Keep planning</button></div>",
    )
}
