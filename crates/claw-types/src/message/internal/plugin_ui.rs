//! Output that plugins show in the host's user interface: `system` / `ui_*`. A surface is a part of that interface in
//! which plugins can draw.
//!
//! The CLI sends these messages when a plugin requests it, but only to hosts that have attached a surface for plugins.
//! The host sends no response. All texts are plain text without markup, and come from the plugin.

use super::Identity;
use crate::{Count, MessageUuid, Number};

/// A report that displayed plugin output may be outdated.
///
/// The CLI sends this message to hosts that draw plugin output. The host should then request the output again. The
/// types of the official SDK do not include this message.
#[wire(tag(type = "system", subtype = "ui_invalidate"))]
pub struct UiInvalidate {
    /// The event whose results are outdated. The value is `ui.render`, which stands for the drawing of output.
    pub event: String,
    fields: Identity!(),
    /// Whether a plugin may change the text that the session records for the person's prompts.
    pub prompts_screened: Option<bool>,
    /// The instances whose output is outdated. If they are absent, all output may be outdated.
    pub instances: Option<Vec<UiInstance>>,
}

/// An instance of a plugin's component, as it is drawn.
#[wire]
pub struct UiInstance {
    /// The surface (the part of the user interface) that shows the instance.
    pub surface: String,
    /// The component to which the instance belongs.
    pub component: String,
    /// The ID of the instance, from the request that drew it.
    pub instance_id: String,
}

/// A line of text that a plugin adds to the displayed conversation. The model does not see the line. The types of the
/// official SDK do not include this message.
#[wire(tag(type = "system", subtype = "ui_log"))]
pub struct UiLog {
    /// The name of the plugin.
    pub plugin: String,
    /// The text of the line.
    pub text: String,
    fields: Identity!(),
}

/// A notification from a plugin. The types of the official SDK do not include this message.
#[wire(tag(type = "system", subtype = "ui_notify"))]
pub struct UiNotify {
    /// The name of the plugin, as the plugin itself spells it. Escape the name before displaying it, because a plugin
    /// can choose any text.
    pub plugin: String,
    /// The plugin and its marketplace: `name@marketplace`.
    pub source: String,
    /// The heading of the notification. The heading does not name the sender.
    pub title: String,
    /// The text of the notification.
    pub text: String,
    /// Whether another plugin has changed the notification.
    pub rewritten: bool,
    fields: Identity!(),
    /// The key of the notification. A later notification with the same source and key replaces this notification.
    /// Absent if no later notification can replace it.
    pub key: Option<String>,
    /// The delay before the notification is shown, in milliseconds. Absent means that it is shown
    /// at once.
    pub delay_ms: Option<Number>,
    /// The time at which the notification is shown, in milliseconds since 1970. Sent in place of
    /// `delay_ms`.
    pub at: Option<Number>,
    /// Whether the host discards the notification if the person returns before the notification is shown.
    pub until_back: Option<bool>,
}

/// The withdrawal of a plugin's notification, even if it was already shown. The types of the official SDK do not
/// include this message.
#[wire(tag(type = "system", subtype = "ui_notify_cancel"))]
pub struct UiNotifyCancel {
    /// The name of the plugin.
    pub plugin: String,
    /// The plugin and its marketplace: `name@marketplace`.
    pub source: String,
    fields: Identity!(),
    /// The key of the notification. If it is absent, all notifications of this source are
    /// withdrawn, because the plugin was removed.
    pub key: Option<String>,
}

/// A text from a plugin that the host shows for a short time. The types of the official SDK do not include this
/// message.
#[wire(tag(type = "system", subtype = "ui_toast"))]
pub struct UiToast {
    /// The name of the plugin.
    pub plugin: String,
    /// The text to show.
    pub text: String,
    /// The time for which to show the text, in milliseconds.
    pub timeout_ms: Number,
    fields: Identity!(),
}

/// The status line of a plugin: one line of text below the prompt. The types of the official SDK do not include this
/// message.
#[wire(tag(type = "system", subtype = "ui_status"))]
pub struct UiStatus {
    /// The name of the plugin.
    pub plugin: String,
    /// The new text, which replaces the plugin's previous line. Null removes the line.
    #[wire(nullable)]
    pub text: Option<String>,
    fields: Identity!(),
}

/// All rows that plugins have placed in the view of the conversation. The rows are not part of any
/// message. The types of the official SDK do not include this message.
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
    /// The ID that a host uses to request the drawing of the row.
    pub request_id: String,
    /// The UUID of the message below which the row is shown. If it is absent, the row is shown above the first message.
    pub after_uuid: Option<MessageUuid>,
}

/// A scrollable place in the user interface in which plugins draw.
#[wire(open)]
pub enum UiSite {
    /// A separate pane.
    Pane = "Pane",
    /// The band above the prompt.
    AbovePrompt = "AbovePrompt",
}

/// A request by a plugin to scroll its output. The types of the official SDK do not include this message.
#[wire(tag(type = "system", subtype = "ui_scroll"))]
pub struct UiScrollMessage {
    /// The ID of the surface: the part of the user interface in which the plugin draws.
    pub client_id: String,
    /// The place whose contents are scrolled.
    pub component: UiSite,
    /// The ID of the pane, or `above-prompt` for the band above the prompt.
    pub instance_id: String,
    /// The index of the first row to show, counted from 0.
    pub offset: Count,
    fields: Identity!(),
    /// Whether the place scrolls along with new output from now on, so that the last rows stay visible.
    pub follow_end: Option<bool>,
}

/// A request by a plugin to move the keyboard focus to an element that the plugin has drawn. The types of the official
/// SDK do not include this message.
#[wire(tag(type = "system", subtype = "ui_focus"))]
pub struct UiFocusMessage {
    /// The ID of the surface: the part of the user interface in which the plugin draws.
    pub client_id: String,
    /// The place in which the plugin has drawn the element.
    pub component: UiSite,
    /// The ID of the pane, or `above-prompt` for the band above the prompt.
    pub instance_id: String,
    /// The name of the plugin that has drawn the element.
    pub plugin: String,
    /// The key of the element.
    pub key: String,
    fields: Identity!(),
}
