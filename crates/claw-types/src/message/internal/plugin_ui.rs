//! What plugins draw and say on a surface of the host's: `system` / `ui_*`.
//!
//! Sent to hosts that have attached a surface, each at the moment when a plugin asks for it, and not
//! answered. Texts are plain, never markup, and the plugin's own words.

use super::Identity;
use crate::{Count, MessageUuid, Number};

/// What plugins have drawn may be out of date.
///
/// To hosts that draw it: ask for it again. In no published type.
#[wire(tag(type = "system", subtype = "ui_invalidate"))]
pub struct UiInvalidate {
    /// What is out of date: `ui.render`.
    pub event: String,
    fields: Identity!(),
    /// `true` where a plugin may change what is kept of a prompt.
    pub prompts_screened: Option<bool>,
    /// What alone is out of date. Absent: everything may be.
    pub instances: Option<Vec<UiInstance>>,
}

/// Something that a plugin has drawn.
#[wire]
pub struct UiInstance {
    /// The surface that shows it.
    pub surface: String,
    /// What it is part of.
    pub component: String,
    /// Its name, from the request that drew it.
    pub instance_id: String,
}

/// A line of a plugin's for the conversation's view. The model does not see it. In no published
/// type.
#[wire(tag(type = "system", subtype = "ui_log"))]
pub struct UiLog {
    /// The plugin's name.
    pub plugin: String,
    /// The line.
    pub text: String,
    fields: Identity!(),
}

/// A notification of a plugin's. In no published type.
#[wire(tag(type = "system", subtype = "ui_notify"))]
pub struct UiNotify {
    /// The plugin's name, as it is spelled: not safe to show as it is.
    pub plugin: String,
    /// The plugin and where it is from: `name@marketplace`.
    pub source: String,
    /// The heading. Not what says who sent it.
    pub title: String,
    /// The text.
    pub text: String,
    /// Whether another plugin has changed it.
    pub rewritten: bool,
    fields: Identity!(),
    /// Its name: a later one of the same source and key takes its place. Absent: it stands alone.
    pub key: Option<String>,
    /// How long to wait with it, in milliseconds. Absent: show it at once.
    pub delay_ms: Option<Number>,
    /// When to show it, in milliseconds since 1970. In place of `delay_ms`.
    pub at: Option<Number>,
    /// Whether to forget it where the person is back before.
    pub until_back: Option<bool>,
}

/// A notification of a plugin's is taken back, shown or not. In no published type.
#[wire(tag(type = "system", subtype = "ui_notify_cancel"))]
pub struct UiNotifyCancel {
    /// The plugin's name.
    pub plugin: String,
    /// The plugin and where it is from: `name@marketplace`.
    pub source: String,
    fields: Identity!(),
    /// The notification. Absent: all of this source, since the plugin is gone.
    pub key: Option<String>,
}

/// A text of a plugin's to show for a moment. In no published type.
#[wire(tag(type = "system", subtype = "ui_toast"))]
pub struct UiToast {
    /// The plugin's name.
    pub plugin: String,
    /// The text.
    pub text: String,
    /// How long, in milliseconds.
    pub timeout_ms: Number,
    fields: Identity!(),
}

/// The line that a plugin keeps under the prompt: one a plugin. In no published type.
#[wire(tag(type = "system", subtype = "ui_status"))]
pub struct UiStatus {
    /// The plugin's name.
    pub plugin: String,
    /// The line, in place of the one before; null for none.
    #[wire(nullable)]
    pub text: Option<String>,
    fields: Identity!(),
}

/// The rows that plugins have put into the conversation's view: all of them. No message holds them.
/// In no published type.
#[wire(tag(type = "system", subtype = "ui_placed"))]
pub struct UiPlaced {
    /// The rows, in order.
    pub rows: Vec<UiPlacedRow>,
    fields: Identity!(),
}

/// A row that a plugin has put into the conversation's view.
#[wire]
pub struct UiPlacedRow {
    /// The plugin.
    pub plugin: String,
    /// The row's name among the plugin's.
    pub id: String,
    /// What to ask for to draw it.
    pub request_id: String,
    /// The message that it stands behind. Absent: before the first.
    pub after_uuid: Option<MessageUuid>,
}

/// A place where plugins draw and that can be scrolled.
#[wire(open)]
pub enum UiSite {
    /// A pane.
    Pane = "Pane",
    /// The band above the prompt.
    AbovePrompt = "AbovePrompt",
}

/// A plugin scrolls what it has drawn. In no published type.
#[wire(tag(type = "system", subtype = "ui_scroll"))]
pub struct UiScrollMessage {
    /// The surface.
    pub client_id: String,
    /// The place.
    pub component: UiSite,
    /// The pane's name; `above-prompt` for the band.
    pub instance_id: String,
    /// The first row to show, from 0.
    pub offset: Count,
    fields: Identity!(),
    /// Whether to keep showing the last rows from now on.
    pub follow_end: Option<bool>,
}

/// A plugin moves the focus to an element that it has drawn. In no published type.
#[wire(tag(type = "system", subtype = "ui_focus"))]
pub struct UiFocusMessage {
    /// The surface.
    pub client_id: String,
    /// The place.
    pub component: UiSite,
    /// The pane's name; `above-prompt` for the band.
    pub instance_id: String,
    /// The plugin whose element it is.
    pub plugin: String,
    /// The element's name.
    pub key: String,
    fields: Identity!(),
}
