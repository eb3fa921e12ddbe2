//! The forms of MCP servers and the dialogs of the CLI, as forms of the page.

use std::io::{self, Write};

use claw_types::Json;
use claw_view::html::Html;
use serde_json::Value;

use super::folded::long;
use crate::conversation::{Choice, Field, FieldKind, Form, Pending, RequestKind, TextFormat};

/// Maximum number of choices that are all visible. A field with more choices is a drop-down list.
const MOST_SHOWN: usize = 8;
/// A text field that accepts more than this number of characters has several lines.
const SEVERAL_LINES: u64 = 200;

/// Writes the message of the form, the fields and the buttons. If `answers` is `false`, the person may not answer, and
/// only the message is written.
pub(super) fn body<W: Write>(
    html: &mut Html<W>,
    request: &Pending,
    form: &Form,
    answers: bool,
) -> io::Result<()> {
    question(html, &form.message)?;
    if let Some(explanation) = &form.explanation {
        question(html, explanation)?;
    }
    if let Some(url) = &form.url {
        html.raw("<p>It wants you to open this address:</p>")?;
        long(html, url)?;
        if form.problem.is_none() {
            let host = url.parse::<axum::http::Uri>();
            if let Some(host) = host.ok().as_ref().and_then(axum::http::Uri::host) {
                html.raw("<p>It leads to <strong>")?;
                html.text(host)?;
                html.raw("</strong>. Open it only if you trust the server that asks.</p>")?;
            }
        }
    }
    if !answers {
        return Ok(());
    }
    for (number, field) in form.fields.iter().enumerate() {
        let id = format!("f-{}-{number}", request.id);
        html.raw("<div class=\"field\" data-name=\"")?;
        html.text(&plain(&Json::from(Value::from(&*field.name))))?;
        html.raw("\" data-kind=\"")?;
        html.text(kind(&field.kind))?;
        if field.required {
            html.raw("\" data-required=\"")?;
        }
        html.raw("\">")?;
        control(html, &id, field)?;
        html.raw("<p class=\"error bad\" id=\"")?;
        html.text(&format!("{id}-error"))?;
        html.raw("\" hidden></p></div>")?;
    }
    if let Some(problem) = &form.problem {
        html.raw("<p class=\"note warning\">")?;
        html.text(problem)?;
        html.raw(" It cannot be accepted here.</p>")?;
    }
    html.raw("<div class=\"answers\">")?;
    if form.problem.is_none() {
        if let Some(url) = &form.url {
            html.raw(
                "<a class=\"button strong\" target=\"_blank\" rel=\"noopener noreferrer\" href=\"",
            )?;
            html.text(url)?;
            html.raw("\">Open the address</a>")?;
        } else {
            html.raw("<button type=\"button\" class=\"strong\" value=\"accept\">")?;
            html.raw(match request.kind {
                RequestKind::Dialog => "Choose",
                _ if form.fields.is_empty() => "Accept",
                _ => "Send",
            })?;
            html.raw("</button>")?;
        }
    }
    if request.kind != RequestKind::Dialog {
        html.raw("<button type=\"button\" class=\"stop\" value=\"decline\" title=\"Say no to the server\">Decline</button>")?;
    }
    html.raw("<button type=\"button\" value=\"cancel\" title=\"Close it without an answer\">Cancel</button></div>")
}

/// Writes a text in which an MCP server or a dialog of the CLI asks the person something. The style sheet preserves the
/// line breaks of the text.
fn question<W: Write>(html: &mut Html<W>, text: &str) -> io::Result<()> {
    html.raw("<p class=\"asked\">")?;
    html.text(text)?;
    html.raw("</p>")
}

/// Returns the name of a field's kind that the page's script uses.
fn kind(kind: &FieldKind) -> &'static str {
    match kind {
        FieldKind::Text {
            format: Some(TextFormat::DateTime),
            ..
        } => "time",
        FieldKind::Text { .. } => "text",
        FieldKind::Number { .. } => "number",
        FieldKind::Boolean {} | FieldKind::Choice { .. } => "choice",
        FieldKind::Choices { .. } => "choices",
        FieldKind::Unsupported { .. } => "unsupported",
    }
}

fn control<W: Write>(html: &mut Html<W>, id: &str, field: &Field) -> io::Result<()> {
    let default = field.default.as_ref();
    let default = default.and_then(|default| default.to_value().ok());
    match &field.kind {
        FieldKind::Boolean {} => {
            let choice = |value: bool, title: &str| Choice {
                value: Json::from(Value::from(value)),
                title: title.to_owned(),
            };
            let choices = [choice(true, "Yes"), choice(false, "No")];
            group(html, id, field, &choices, default.as_ref(), false)
        }
        FieldKind::Choice { choices } if choices.len() <= MOST_SHOWN => {
            group(html, id, field, choices, default.as_ref(), false)
        }
        FieldKind::Choices { choices, .. } => {
            group(html, id, field, choices, default.as_ref(), true)
        }
        FieldKind::Choice { choices } => labelled(html, id, field, |html| {
            html.raw("<select")?;
            described(html, id)?;
            html.raw("><option value=\"\">")?;
            html.raw(if field.required {
                "Choose"
            } else {
                "No answer"
            })?;
            html.raw("</option>")?;
            for choice in choices {
                html.raw("<option value=\"")?;
                html.text(&plain(&choice.value))?;
                html.raw("\"")?;
                if is_chosen(choice, default.as_ref()) {
                    html.raw(" selected")?;
                }
                html.raw(">")?;
                html.text(&choice.title)?;
                html.raw("</option>")?;
            }
            html.raw("</select>")
        }),
        FieldKind::Text {
            max_length, format, ..
        } => labelled(html, id, field, |html| {
            let text = default.as_ref().and_then(Value::as_str).unwrap_or_default();
            if format.is_none() && max_length.is_some_and(|most| most > SEVERAL_LINES) {
                html.raw("<textarea rows=\"3\"")?;
                described(html, id)?;
                html.raw(">\n")?;
                html.text(text)?;
                return html.raw("</textarea>");
            }
            html.raw(match format {
                Some(TextFormat::Email) => {
                    "<input type=\"text\" inputmode=\"email\" autocapitalize=\"none\""
                }
                Some(TextFormat::Uri) => {
                    "<input type=\"text\" inputmode=\"url\" autocapitalize=\"none\""
                }
                Some(TextFormat::Date) => "<input type=\"date\"",
                Some(TextFormat::DateTime) => "<input type=\"datetime-local\" step=\"1\"",
                Some(TextFormat::Password) => "<input type=\"password\"",
                None => "<input type=\"text\"",
            })?;
            described(html, id)?;
            // A time is written to `data-time`, and the page's script converts it to the person's time zone.
            html.raw(match format {
                Some(TextFormat::DateTime) => " data-time=\"",
                _ => " value=\"",
            })?;
            html.text(text)?;
            html.raw("\">")
        }),
        FieldKind::Number { is_integer, .. } => labelled(html, id, field, |html| {
            html.raw(if *is_integer {
                "<input type=\"text\" inputmode=\"numeric\""
            } else {
                "<input type=\"text\" inputmode=\"decimal\""
            })?;
            described(html, id)?;
            html.raw(" value=\"")?;
            if let Some(default) = &default {
                html.text(&default.to_string())?;
            }
            html.raw("\">")
        }),
        FieldKind::Unsupported { .. } => {
            html.raw("<p><strong>")?;
            html.text(title(field))?;
            html.raw("</strong></p>")?;
            hint(html, id, field)
        }
    }
}

/// Writes a JSON value in printable ASCII. Other characters are escaped, so that invisible characters reach the script
/// unchanged.
fn plain(value: &Json) -> String {
    let mut text = String::new();
    for letter in value.as_raw().chars() {
        if letter == ' ' || letter.is_ascii_graphic() {
            text.push(letter);
        } else {
            let units = letter.encode_utf16(&mut [0; 2]).to_vec();
            text.extend(units.iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    text
}

fn title(field: &Field) -> &str {
    field.title.as_deref().unwrap_or(&field.name)
}

/// Writes a field with a label above it and a hint below it.
fn labelled<W: Write>(
    html: &mut Html<W>,
    id: &str,
    field: &Field,
    write: impl FnOnce(&mut Html<W>) -> io::Result<()>,
) -> io::Result<()> {
    html.raw("<label for=\"")?;
    html.text(id)?;
    html.raw("\">")?;
    name(html, field)?;
    html.raw("</label>")?;
    write(html)?;
    hint(html, id, field)
}

fn name<W: Write>(html: &mut Html<W>, field: &Field) -> io::Result<()> {
    html.text(title(field))?;
    if field.required {
        html.raw(" <small>(required)</small>")?;
    }
    Ok(())
}

/// Writes the attributes that link a field to its label, its hint and its error.
fn described<W: Write>(html: &mut Html<W>, id: &str) -> io::Result<()> {
    html.raw(" autocomplete=\"off\" id=\"")?;
    html.text(id)?;
    html.raw("\" aria-describedby=\"")?;
    html.text(&format!("{id}-hint {id}-error"))?;
    html.raw("\"")
}

/// Writes the description of a field, and its bounds.
fn hint<W: Write>(html: &mut Html<W>, id: &str, field: &Field) -> io::Result<()> {
    html.raw("<small class=\"hint\" id=\"")?;
    html.text(&format!("{id}-hint"))?;
    html.raw("\">")?;
    if let Some(description) = &field.description {
        html.text(description)?;
        html.raw(" ")?;
    }
    html.text(&bounds(&field.kind))?;
    html.raw("</small>")
}

/// Describes the bounds of a field in words.
fn bounds(kind: &FieldKind) -> String {
    let between = |least: Option<String>, most: Option<String>, what: &str| match (least, most) {
        (Some(least), Some(most)) => format!("Between {least} and {most}{what}."),
        (Some(least), None) => format!("At least {least}{what}."),
        (None, Some(most)) => format!("At most {most}{what}."),
        (None, None) => String::new(),
    };
    let count = |count: &Option<u64>| count.map(|count| count.to_string());
    let bound = |bound: &Option<f64>| bound.map(|bound| bound.to_string());
    match kind {
        FieldKind::Text {
            min_length,
            max_length,
            format,
            pattern,
        } => {
            let length = between(count(min_length), count(max_length), " characters");
            let format = match format {
                Some(TextFormat::Email) => "An email address.",
                Some(TextFormat::Uri) => "An address with its scheme, such as https://example.com.",
                Some(TextFormat::DateTime) => "In your time zone.",
                _ => "",
            };
            let pattern = pattern.as_ref();
            let pattern = pattern.map(|pattern| format!("It has to match the pattern {pattern}"));
            let parts = [length, format.to_owned(), pattern.unwrap_or_default()];
            let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            parts.join(" ")
        }
        FieldKind::Number {
            is_integer,
            minimum,
            maximum,
        } => {
            let bounds = between(bound(minimum), bound(maximum), "");
            match (is_integer, bounds.is_empty()) {
                (true, true) => "An integer.".to_owned(),
                (true, false) => format!("An integer. {bounds}"),
                (false, true) => "A number.".to_owned(),
                (false, false) => format!("A number. {bounds}"),
            }
        }
        FieldKind::Choices {
            min_items,
            max_items,
            ..
        } => between(count(min_items), count(max_items), " of them"),
        FieldKind::Boolean {} | FieldKind::Choice { .. } => String::new(),
        FieldKind::Unsupported { reason } => {
            format!("This cannot be filled in here: it is {reason}.")
        }
    }
}

fn is_chosen(choice: &Choice, default: Option<&Value>) -> bool {
    default.is_some_and(|default| match default {
        Value::Array(values) => values.iter().any(|value| choice.has(value)),
        value => choice.has(value),
    })
}

/// Writes a group in which all choices are visible. Nothing is chosen unless the form has a default.
fn group<W: Write>(
    html: &mut Html<W>,
    id: &str,
    field: &Field,
    choices: &[Choice],
    default: Option<&Value>,
    are_many: bool,
) -> io::Result<()> {
    html.raw("<fieldset aria-describedby=\"")?;
    html.text(&format!("{id}-hint {id}-error"))?;
    html.raw("\"><legend>")?;
    name(html, field)?;
    html.raw("</legend>")?;
    hint(html, id, field)?;
    let none = Choice {
        value: Json::null(),
        title: "No answer".to_owned(),
    };
    let none = Some(&none).filter(|_| !are_many && !field.required);
    for choice in choices.iter().chain(none) {
        html.raw("<label class=\"choice\"><input type=\"")?;
        html.raw(if are_many { "checkbox" } else { "radio" })?;
        html.raw("\" name=\"")?;
        html.text(id)?;
        html.raw("\" value=\"")?;
        html.text(&plain(&choice.value))?;
        html.raw("\"")?;
        let is_none = none.is_some_and(|none| std::ptr::eq(none, choice));
        if is_chosen(choice, default) || (is_none && default.is_none()) {
            html.raw(" checked")?;
        }
        html.raw("><span>")?;
        html.text(&choice.title)?;
        html.raw("</span></label>")?;
    }
    html.raw("</fieldset>")
}
