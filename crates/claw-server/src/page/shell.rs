//! The static parts of the pages.

use std::io::{self, Write};

use claw_types::SessionId;
use claw_view::html::Html;

use super::assets::{STYLE, VERSION};
use super::may::May;
use super::{keys, quotas};
use crate::api::QuotaUse;

/// What the page of a session shows before its first state arrives.
pub(super) struct Head {
    pub(super) id: SessionId,
    /// The title, which contains the [depth](crate::forks::depth) of a fork.
    pub(super) title: String,
    pub(super) fork: Option<u32>,
    /// The name of the project.
    pub(super) project: String,
}

/// Writes the page of one session, for `GET /s/{id}`. The page receives the conversation through the event stream.
pub(super) fn session(head: &Head, may: &May) -> String {
    let Head {
        id,
        title,
        fork,
        project,
    } = head;
    let id = id.as_str();
    Html::fragment(|html| {
        start(
            html,
            title,
            Some("session.js"),
            Some((id, *fork)),
            Some(may),
        )?;
        html.raw("<header class=\"top\">")?;
        up(html)?;
        heading(html, title)?;
        html.raw("<button id=\"find\" class=\"quiet\" type=\"button\" aria-keyshortcuts=\"Control+Shift+F\" title=\"Find in the conversation (Ctrl+Shift+F)\">Find</button>")?;
        if may.does("forkSession") {
            html.raw("<button id=\"fork\" class=\"quiet\" type=\"button\">Fork</button>")?;
        }
        if may.does("changeSession") || may.does("deleteSession") {
            html.raw("<button id=\"about\" class=\"quiet\" type=\"button\" aria-haspopup=\"dialog\" aria-label=\"Rename, tag, archive or delete\" title=\"Rename, tag, archive or delete\">⋯</button>")?;
        }
        html.raw("<div class=\"status\"><span id=\"phase\" class=\"phase\" data-phase=\"connecting\">Connecting</span><span id=\"project\">")?;
        html.text(project)?;
        html.raw("</span><span id=\"branch\" class=\"branch\" hidden><span class=\"unseen\">Branch </span><span></span></span><span id=\"queued\"></span><span id=\"context\"></span><span id=\"turn\"></span><span id=\"cost\"></span><a id=\"limits\" class=\"limits\" href=\"/usage\" hidden></a><a id=\"changes\" class=\"beside\" href=\"/s/")?;
        html.text(id)?;
        html.raw(concat!(
            "/changes\">Changes</a></div>",
            "<p id=\"offline\" class=\"note warning\" role=\"status\" hidden></p>",
            "<p id=\"trouble\" class=\"note bad\" role=\"alert\" hidden></p>",
            "<p id=\"cut\" class=\"note warning\" role=\"status\" hidden><span></span>"
        ))?;
        if may.does("sendPrompt") {
            html.raw(" <button id=\"go-on\" type=\"button\"></button>")?;
        }
        if may.does("cancelPrompt") {
            html.raw(" <button id=\"dismiss\" type=\"button\">Do not send it</button>")?;
        }
        html.raw(concat!(
            "</p>",
            "<form id=\"finder\" class=\"finder\" role=\"search\" hidden><label class=\"unseen\" for=\"sought\">Find in the conversation</label>",
            "<input id=\"sought\" name=\"text\" type=\"search\" maxlength=\"200\" placeholder=\"Find in the conversation\" autocomplete=\"off\" enterkeyhint=\"search\">",
            "<output></output><button type=\"button\" data-step=\"-1\" aria-label=\"Older\" title=\"Older (Enter)\" disabled>↑</button>",
            "<button type=\"button\" data-step=\"1\" aria-label=\"Newer\" title=\"Newer (Shift+Enter)\" disabled>↓</button>",
            "<button id=\"unfind\" type=\"button\" class=\"quiet\" aria-label=\"Close, and stay here\" title=\"Close, and stay here (Escape goes back)\">×</button></form></header>",
            "<main id=\"main\"><noscript><p class=\"note bad\">This page needs JavaScript.</p></noscript>",
            "<p id=\"empty\" class=\"empty\" hidden>Nothing was said yet."
        ))?;
        if may.does("sendPrompt") {
            html.raw(" Write to Claude below.")?;
        }
        html.raw(concat!(
            "</p>",
            "<div id=\"log\" class=\"log\" role=\"log\" aria-label=\"Conversation\" aria-live=\"off\"></div>",
            "<div id=\"progress\" class=\"progress\" hidden><span></span>",
            "<progress max=\"100\" aria-label=\"Progress\"></progress></div>",
            "<div id=\"requests\" class=\"requests\"></div></main>"
        ))?;
        composer(html, may)?;
        keys::of_session(html, may)?;
        side(html, may)?;
        end(html)
    })
}

/// Writes the field for prompts, and the settings beside it. For a person who may not send prompts, writes a bar with
/// the other controls instead.
fn composer<W: Write>(html: &mut Html<W>, may: &May) -> io::Result<()> {
    let writes = may.does("sendPrompt");
    html.raw(if writes {
        "<form id=\"composer\" class=\"composer\" aria-label=\"Prompt\">"
    } else {
        "<section id=\"composer\" class=\"composer\" aria-label=\"What you may do\">"
    })?;
    html.raw(concat!(
        "<button id=\"newer\" class=\"newer\" type=\"button\" hidden>To the newest</button>",
        "<p id=\"unsent\" class=\"note bad\" role=\"alert\" hidden></p>"
    ))?;
    if writes {
        html.raw(concat!(
            "<div id=\"outbox\" class=\"note warning outbox\" hidden></div><p id=\"sending\" class=\"note\" role=\"status\" hidden></p><p id=\"heard\" class=\"note\" dir=\"auto\" hidden></p><div id=\"pictures\" class=\"pictures\"></div>",
            "<p id=\"hint\" class=\"hint\" hidden></p><div class=\"row\"><button id=\"unfold\" class=\"quiet\" type=\"button\" aria-expanded=\"false\" aria-controls=\"tools\" aria-label=\"More\" title=\"Files, model, permission mode\">+</button>",
            "<label class=\"unseen\" for=\"prompt\">Prompt</label>",
            "<textarea id=\"prompt\" dir=\"auto\" rows=\"1\" placeholder=\"Write to Claude\" enterkeyhint=\"enter\" aria-autocomplete=\"list\" ",
            "aria-haspopup=\"listbox\" aria-controls=\"suggestions\" aria-describedby=\"hint\"></textarea>",
            "<div id=\"suggestions\" class=\"suggestions\" role=\"listbox\" aria-label=\"Suggestions\" tabindex=\"0\" hidden></div>"
        ))?;
    } else {
        html.raw("<div class=\"row\"><p class=\"reads\">You may read this session. To write in it, a person needs the role ")?;
        html.text(&may.who("sendPrompt"))?;
        html.raw(".</p>")?;
    }
    if may.does("interruptTurn") {
        html.raw("<button id=\"stop\" class=\"stop\" type=\"button\" hidden>Stop</button>")?;
    }
    html.raw(if writes {
        "<button id=\"send\" class=\"strong\">Send</button></div><div id=\"tools\" class=\"tools\"><button id=\"attach\" class=\"quiet\" type=\"button\">Attach</button><button id=\"dictate\" class=\"quiet\" type=\"button\" aria-pressed=\"false\" hidden>Dictate</button><input id=\"files\" type=\"file\" multiple hidden aria-label=\"Files\">"
    } else {
        "</div><div id=\"tools\" class=\"tools\">"
    })?;
    html.raw("<button id=\"show-keys\" class=\"quiet\" type=\"button\" aria-keyshortcuts=\"?\" title=\"The keys of this page (?)\">Keys</button>")?;
    if writes {
        html.raw("<label hidden><span class=\"unseen\">When it is read</span><select id=\"priority\"><option value=\"next\">After this step</option>")?;
        if may.does("sendPrompt.now") {
            html.raw("<option value=\"now\">Now</option>")?;
        }
        html.raw("<option value=\"later\">After this turn</option></select></label>")?;
    }
    if may.does("changeSettings") {
        html.raw(concat!(
            "<label><span class=\"unseen\">Permission mode</span><select id=\"mode\">",
            "<option value=\"default\">Ask first</option></select></label>",
            "<label><span class=\"unseen\">Model</span><select id=\"model\"><option value=\"default\">Default model</option></select></label>",
            "<label hidden><span class=\"unseen\">Effort</span><select id=\"effort\"><option value=\"default\">Default effort</option></select></label>"
        ))?;
    }
    html.raw(if writes {
        "</div></form>"
    } else {
        "</div></section>"
    })
}

/// Writes the list of all sessions that is beside a conversation. Narrow screens do not show it.
fn side<W: Write>(html: &mut Html<W>, may: &May) -> io::Result<()> {
    html.raw("<aside id=\"side\" class=\"side\" aria-label=\"Sessions\" hidden>")?;
    if may.does("openSession") {
        html.raw("<button id=\"new\" class=\"create\" type=\"button\" aria-keyshortcuts=\"Control+Shift+O\" title=\"A session in this project (Ctrl+Shift+O)\">New session</button>")?;
    }
    html.raw(concat!(
        "<form role=\"search\" action=\"/\"><label class=\"unseen\" for=\"sift\">Search the sessions</label>",
        "<input id=\"sift\" name=\"q\" type=\"search\" maxlength=\"200\" placeholder=\"Search the sessions\" autocomplete=\"off\" enterkeyhint=\"search\"></form>",
        "<p class=\"note bad trouble\" role=\"status\" hidden>The sessions cannot be listed now.</p>",
        "<section class=\"asking\" aria-label=\""
    ))?;
    html.raw(waiting(may))?;
    html.raw("\" hidden><h2>")?;
    html.raw(waiting(may))?;
    html.raw(concat!(
        "</h2><ul class=\"sessions\"></ul></section>",
        "<div class=\"scroll\"><div class=\"list\"></div><button class=\"more\" type=\"button\" hidden>More</button>",
        "<a class=\"rest\" href=\"/\" hidden>All sessions</a></div></aside>"
    ))
}

/// Returns the heading above the sessions that wait for an answer.
fn waiting(may: &May) -> &'static str {
    if may.does("answerRequest") {
        "Waiting for you"
    } else {
        "Waiting for an answer"
    }
}

/// Writes the page of all sessions, for `GET /`. It contains a search, and a separate list of archived sessions. The
/// page fetches the entries of the lists from `GET /api/sessions`. `limits` are the limits that the sender may see.
pub(super) fn sessions(
    projects: &[&str],
    query: &str,
    archived: bool,
    limits: &[QuotaUse],
    may: &May,
) -> String {
    let title = if archived {
        "Archived sessions"
    } else {
        "Sessions"
    };
    Html::fragment(|html| {
        start(html, title, Some("sessions.js"), None, Some(may))?;
        top(html, title, true)?;
        html.raw("<main id=\"main\"><form class=\"search\" role=\"search\" id=\"search\"><label class=\"unseen\" for=\"query\">Search</label><input id=\"query\" type=\"search\" name=\"q\" placeholder=\"Search all sessions\" autocomplete=\"off\" enterkeyhint=\"search\" value=\"")?;
        html.text(query)?;
        html.raw(if archived {
            "\"><input type=\"hidden\" name=\"archived\" value=\"true\"><button>Search</button></form><p><a class=\"button\" href=\"/\">Sessions that are not archived</a></p>"
        } else {
            "\"><button>Search</button></form>"
        })?;
        quotas::near(html, limits)?;
        if may.does("openSession") {
            begin(html, projects, may)?;
        }
        html.raw("<section id=\"asking\" class=\"asking\" aria-labelledby=\"asks\" hidden><h2 id=\"asks\">")?;
        html.raw(waiting(may))?;
        html.raw(concat!(
            "</h2><ul class=\"sessions\"></ul></section>",
            "<label class=\"check grouping\"><input id=\"grouped\" type=\"checkbox\" autocomplete=\"off\"><span>Group by project</span></label>",
            "<div id=\"list\" class=\"list\" aria-busy=\"true\"></div>",
            "<button id=\"more\" type=\"button\" hidden>More</button>",
            "<section id=\"notices\" class=\"notices\" aria-labelledby=\"told\" hidden><h2 id=\"told\">Notifications</h2></section>",
            "<label class=\"check\"><input id=\"sound\" type=\"checkbox\" autocomplete=\"off\"><span>Sound when a session asks, while a page of claw is open</span></label>",
            "<footer class=\"foot\"><button id=\"device\" class=\"quiet\" type=\"button\">Log in another device</button>",
            "<button id=\"show-keys\" class=\"quiet\" type=\"button\" aria-keyshortcuts=\"?\" title=\"The keys of this page (?)\">Keys</button>",
            "<button id=\"logout\" class=\"quiet\" type=\"button\">Log out</button>",
            "<section id=\"login\" class=\"login\" aria-label=\"Log in another device\" hidden></section>",
            "</footer></main>"
        ))?;
        keys::of_sessions(html, may)?;
        end(html)
    })
}

/// Writes the form that begins a session.
fn begin<W: Write>(html: &mut Html<W>, projects: &[&str], may: &May) -> io::Result<()> {
    html.raw(concat!(
        "<details class=\"begin\" id=\"begin\"><summary>New session</summary>",
        "<form class=\"start\" id=\"start\"><label><span>Project</span><select name=\"project\">"
    ))?;
    for project in projects {
        option(html, project, project)?;
    }
    html.raw(concat!(
        "</select></label><label><span>Model</span><select name=\"model\"><option value=\"default\">Default model</option></select></label>",
        "<label><span>Effort</span><select name=\"effort\" disabled><option value=\"default\">Default effort</option></select></label>"
    ))?;
    if may.does("openSession.mode") {
        html.raw("<label><span>Permissions</span><select name=\"mode\"><option value=\"project\">As the project says</option></select></label>")?;
    }
    html.raw(concat!(
        "<div class=\"tree\"><label class=\"check\"><input type=\"checkbox\" name=\"worktree\" id=\"worktree\" aria-describedby=\"about-worktree\">",
        "<span>In a git worktree of its own</span></label>",
        "<label id=\"tree-name\" hidden><span>Name of the worktree</span><input name=\"tree\" maxlength=\"64\" placeholder=\"Chosen by the server\" ",
        "autocomplete=\"off\" autocapitalize=\"none\" spellcheck=\"false\" pattern=\"[A-Za-z0-9]([A-Za-z0-9._\\-]*[A-Za-z0-9])?\" ",
        "title=\"Letters, digits, - _ and .\"></label>",
        "<p id=\"about-worktree\" class=\"about-tree\">A folder and a branch of its own, so that sessions do not change each other's files.</p></div>",
        "<p id=\"start-trouble\" class=\"note bad\" role=\"alert\" hidden></p><button class=\"strong\">Start</button></form></details>"
    ))
}

/// Writes a page without any personal contents. Its script logs the browser in, or fetches the requested page and shows
/// it instead. The header becomes visible only if the script fails.
pub(super) fn opening(title: &str) -> String {
    Html::fragment(|html| {
        start(html, title, None, None, None)?;
        html.raw("<header class=\"top\" hidden>")?;
        up(html)?;
        heading(html, title)?;
        html.raw(concat!(
            "</header><main id=\"main\" aria-busy=\"true\"><noscript><p class=\"note bad\">This page needs JavaScript.</p></noscript>",
            "<p id=\"trouble\" class=\"note bad\" role=\"alert\" hidden></p></main>"
        ))?;
        script(html, "open.js")?;
        end(html)
    })
}

/// Writes a page with the reason of a refusal.
pub(super) fn refused(title: &str, text: &str, may_go_on: bool) -> String {
    Html::fragment(|html| {
        start(html, title, None, None, None)?;
        top(html, title, false)?;
        html.raw("<main id=\"main\"><p class=\"note\">")?;
        html.text(text)?;
        html.raw("</p>")?;
        if may_go_on {
            // The link is on a page of the server itself. So the browser sends the cookie when a person follows it.
            html.raw("<p>If you are logged in, and came by a link from elsewhere: <a href=\"\">go on</a>.</p>")?;
        }
        html.raw("</main>")?;
        end(html)
    })
}

pub(super) fn start<W: Write>(
    html: &mut Html<W>,
    title: &str,
    name: Option<&'static str>,
    session: Option<(&str, Option<u32>)>,
    may: Option<&May>,
) -> io::Result<()> {
    html.raw(concat!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content\">\n",
        "<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>"
    ))?;
    html.text(title)?;
    html.raw("</title>\n")?;
    for (kind, file) in [
        ("icon", "icon.svg"),
        ("apple-touch-icon", "icon-192.png"),
        ("manifest", "manifest.webmanifest"),
    ] {
        html.raw("<link rel=\"")?;
        html.raw(kind)?;
        html.raw("\" href=\"/assets/")?;
        html.text(&VERSION)?;
        html.raw("/")?;
        html.raw(file)?;
        html.raw("\">\n")?;
    }
    html.raw("<link rel=\"stylesheet\" href=\"/assets/")?;
    html.text(&VERSION)?;
    html.raw("/")?;
    html.raw(STYLE)?;
    html.raw("\">\n")?;
    // A page with a refusal has no `name`, because it needs no scripts.
    if let Some(name) = name {
        script(html, name)?;
    }
    html.raw("</head>\n<body")?;
    if let Some((session, fork)) = session {
        html.raw(" data-session=\"")?;
        html.text(session)?;
        if let Some(depth) = fork {
            html.raw("\" data-fork=\"")?;
            html.text(&depth.to_string())?;
        }
        html.raw("\"")?;
    }
    if let Some(may) = may {
        html.raw(" data-may=\"")?;
        html.text(&may.names())?;
        html.raw("\"")?;
    }
    html.raw(">\n<a class=\"skip\" href=\"#main\">To the content</a>\n")
}

fn script<W: Write>(html: &mut Html<W>, file: &'static str) -> io::Result<()> {
    html.raw("<script type=\"module\" src=\"/assets/")?;
    html.text(&VERSION)?;
    html.raw("/")?;
    html.raw(file)?;
    html.raw("\"></script>\n")
}

pub(super) fn top<W: Write>(html: &mut Html<W>, title: &str, is_home: bool) -> io::Result<()> {
    html.raw("<header class=\"top\">")?;
    if !is_home {
        up(html)?;
    }
    heading(html, title)?;
    if is_home {
        html.raw(concat!(
            "<nav aria-label=\"Pages\"><a href=\"/?archived=true\">Archived</a><a href=\"/usage\">Usage</a></nav>",
            "<a id=\"limits\" class=\"limits\" href=\"/usage\" hidden></a>",
            "<p id=\"trouble\" class=\"note bad\" role=\"alert\" hidden></p>",
            "<p id=\"cli\" class=\"note bad\" role=\"status\" hidden></p>"
        ))?;
    }
    html.raw("</header>")
}

pub(super) fn up<W: Write>(html: &mut Html<W>) -> io::Result<()> {
    html.raw("<nav aria-label=\"Up\"><a href=\"/\"><span aria-hidden=\"true\">‹&nbsp;</span><span class=\"word\">Sessions</span></a></nav>")
}

pub(super) fn heading<W: Write>(html: &mut Html<W>, title: &str) -> io::Result<()> {
    html.raw("<h1 id=\"title\">")?;
    html.text(title)?;
    html.raw("</h1><a id=\"others\" class=\"button others\" href=\"/\" hidden></a>")
}

pub(super) fn end<W: Write>(html: &mut Html<W>) -> io::Result<()> {
    html.raw("<p id=\"announced\" class=\"unseen\" role=\"status\"></p>\n</body>\n</html>\n")
}

fn option<W: Write>(html: &mut Html<W>, value: &str, name: &str) -> io::Result<()> {
    html.raw("<option value=\"")?;
    html.text(value)?;
    html.raw("\">")?;
    html.text(name)?;
    html.raw("</option>")
}
