//! Output of plugins on a surface of the host: `system` / `ui_*`.
//!
//! Sent to hosts that have attached a surface, when a plugin requests it. Not answered. Texts are
//! plain, never markup, and are the plugin's own words.

use super::Identity;
use crate::{Count, MessageUuid, Number};

/// A sign that the output of plugins may be outdated.
///
/// Sent to hosts that draw the output: they request it again. Not part of the published types.
#[wire(tag(type = "system", subtype = "ui_invalidate"))]
pub struct UiInvalidate {
    /// The request that is outdated: `ui.render`.
    pub event: String,
    fields: Identity!(),
    /// Whether a plugin may change what is kept of a prompt.
    pub prompts_screened: Option<bool>,
    /// The outdated instances. Absent means that everything may be outdated.
    pub instances: Option<Vec<UiInstance>>,
}

/// An instance of a component that a plugin has drawn.
#[wire]
pub struct UiInstance {
    /// The surface that shows the instance.
    pub surface: String,
    /// The component that the instance belongs to.
    pub component: String,
    /// The ID of the instance, from the request that drew it.
    pub instance_id: String,
}

/// A line of a plugin for the view of the conversation. The model does not see it. Not part of the
/// published types.
#[wire(tag(type = "system", subtype = "ui_log"))]
pub struct UiLog {
    /// The name of the plugin.
    pub plugin: String,
    /// The text of the line.
    pub text: String,
    fields: Identity!(),
}

/// A notification of a plugin. Not part of the published types.
#[wire(tag(type = "system", subtype = "ui_notify"))]
pub struct UiNotify {
    /// The name of the plugin in its own spelling, which is not safe to display as it is.
    pub plugin: String,
    /// The plugin and its marketplace: `name@marketplace`.
    pub source: String,
    /// The heading of the notification. The heading does not identify the sender.
    pub title: String,
    /// The text of the notification.
    pub text: String,
    /// Whether another plugin has changed the notification.
    pub rewritten: bool,
    fields: Identity!(),
    /// The key of the notification: a later notification of the same source and key replaces this
    /// one. Absent if none replaces it.
    pub key: Option<String>,
    /// The delay before the notification is shown, in milliseconds. Absent means that it is shown
    /// at once.
    pub delay_ms: Option<Number>,
    /// The time at which the notification is shown, in milliseconds since 1970. Sent in place of
    /// `delay_ms`.
    pub at: Option<Number>,
    /// Whether the notification is discarded if the person returns before it is shown.
    pub until_back: Option<bool>,
}

/// The withdrawal of a plugin's notification, whether shown or not. Not part of the published
/// types.
#[wire(tag(type = "system", subtype = "ui_notify_cancel"))]
pub struct UiNotifyCancel {
    /// The name of the plugin.
    pub plugin: String,
    /// The plugin and its marketplace: `name@marketplace`.
    pub source: String,
    fields: Identity!(),
    /// The key of the notification. Absent withdraws all notifications of this source, because the
    /// plugin was removed.
    pub key: Option<String>,
}

/// A text of a plugin to show for a moment. Not part of the published types.
#[wire(tag(type = "system", subtype = "ui_toast"))]
pub struct UiToast {
    /// The name of the plugin.
    pub plugin: String,
    /// The text to show.
    pub text: String,
    /// The time to show the text, in milliseconds.
    pub timeout_ms: Number,
    fields: Identity!(),
}

/// The line that a plugin keeps below the prompt. Each plugin has one line. Not part of the
/// published types.
#[wire(tag(type = "system", subtype = "ui_status"))]
pub struct UiStatus {
    /// The name of the plugin.
    pub plugin: String,
    /// The line, which replaces the previous one. Null removes it.
    #[wire(nullable)]
    pub text: Option<String>,
    fields: Identity!(),
}

/// All rows that plugins have placed in the view of the conversation. No message contains them. Not
/// part of the published types.
#[wire(tag(type = "system", subtype = "ui_placed"))]
pub struct UiPlaced {
    /// The rows that plugins have placed, in the order in which they are shown.
    pub rows: Vec<UiPlacedRow>,
    fields: Identity!(),
}

/// A row that a plugin has placed in the view of the conversation.
#[wire]
pub struct UiPlacedRow {
    /// The name of the plugin.
    pub plugin: String,
    /// The ID of the row among the plugin's rows.
    pub id: String,
    /// The ID with which a host requests the drawing of the row.
    pub request_id: String,
    /// The UUID of the message that the row follows. Absent means before the first message.
    pub after_uuid: Option<MessageUuid>,
}

/// A place in which plugins draw and that can be scrolled.
#[wire(open)]
pub enum UiSite {
    /// A pane of its own.
    Pane = "Pane",
    /// The band above the prompt.
    AbovePrompt = "AbovePrompt",
}

/// A request of a plugin to scroll its output. Not part of the published types.
#[wire(tag(type = "system", subtype = "ui_scroll"))]
pub struct UiScrollMessage {
    /// The ID of the surface.
    pub client_id: String,
    /// The place that is scrolled.
    pub component: UiSite,
    /// The ID of the pane. `above-prompt` for the band above the prompt.
    pub instance_id: String,
    /// The first row to show, from 0.
    pub offset: Count,
    fields: Identity!(),
    /// Whether to keep showing the last rows from now on.
    pub follow_end: Option<bool>,
}

/// A request of a plugin to move the focus to an element that it has drawn. Not part of the
/// published types.
#[wire(tag(type = "system", subtype = "ui_focus"))]
pub struct UiFocusMessage {
    /// The ID of the surface.
    pub client_id: String,
    /// The place of the element.
    pub component: UiSite,
    /// The ID of the pane. `above-prompt` for the band above the prompt.
    pub instance_id: String,
    /// The name of the plugin that has drawn the element.
    pub plugin: String,
    /// The key of the element.
    pub key: String,
    fields: Identity!(),
}
