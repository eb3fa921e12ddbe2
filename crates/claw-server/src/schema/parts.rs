//! The arguments and results of handlers. Each of their types describes its part of the OpenAPI document.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::{BytesRejection, QueryRejection};
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{Path, Query, State, WebSocketUpgrade};
use axum::http::HeaderMap;
use axum::response::NoContent;
use schemars::JsonSchema;
use serde_json::json;

use super::kinds::{RpcBody, RpcReply, SessionEvents, SocketMessage};
use crate::SocketRequest;
use crate::actor::Actor;
use crate::api::Refusal;
use crate::api::extract::{Calls, KEY, LAST_EVENT, LastEvent, VIEWER, ViewerName};
use crate::api::response::{
    Accepted, Created, Document, Events, MISSING, Metrics, Partial, Responses, Table, Upgraded,
    Written,
};
use crate::audit::{Act, Auditor};
use crate::base::Base;
use crate::guard::PageKey;
use crate::guard::login::{Arrival, LoggedIn, LoggedOut, LoginPage, NewLink};
use crate::object::Object;
use crate::signature::{Facts, Input, Output};

impl<S> Input for State<Arc<S>> {
    fn describe(_: &mut Facts<'_>) {}
}

// The row of the route describes the path parameters, so this argument describes nothing.
impl<T> Input for Path<T> {
    fn describe(_: &mut Facts<'_>) {}
}

// Handlers read only the headers `Host` and `Accept`, which HTTP clients set by themselves, and the cookie of the login, which
// the security schemes describe. So this argument adds nothing to the description of an operation.
impl Input for HeaderMap {
    fn describe(_: &mut Facts<'_>) {}
}

impl Input for Arrival {
    fn describe(_: &mut Facts<'_>) {}
}

// The guard determines the sender of a request, so this argument describes no part of the request.
impl Input for Actor {
    fn describe(_: &mut Facts<'_>) {}
}

// Clients cannot see the audit log, so this argument describes nothing.
impl Input for Act {
    fn describe(_: &mut Facts<'_>) {}
}

impl Input for Auditor {
    fn describe(_: &mut Facts<'_>) {}
}

// The path prefix is not a part of the request, so this argument describes nothing.
impl Input for Base {
    fn describe(_: &mut Facts<'_>) {}
}

impl<T: JsonSchema> Input for Result<Query<T>, QueryRejection> {
    fn describe(facts: &mut Facts<'_>) {
        facts.query::<T>();
    }
}

impl<T: JsonSchema> Input for Object<T> {
    fn describe(facts: &mut Facts<'_>) {
        facts.body::<T>();
    }
}

impl Input for Result<Calls, BytesRejection> {
    fn describe(facts: &mut Facts<'_>) {
        facts.body::<RpcBody>();
    }
}

impl Input for ViewerName {
    fn describe(facts: &mut Facts<'_>) {
        let text = "The name of the viewer, which other viewers are told. Up to 64 characters.";
        facts.header(VIEWER, text, false);
    }
}

impl Input for PageKey {
    fn describe(facts: &mut Facts<'_>) {
        let text = "A secret of 64 hexadecimal digits, to which the login belongs: the cookie is of no use without it.";
        facts.header(KEY.as_str(), text, true);
    }
}

impl Input for LastEvent {
    fn describe(facts: &mut Facts<'_>) {
        let text = "The `id` of the last event that the client has. Absent: begin with a `reset`.";
        facts.header(LAST_EVENT, text, false);
    }
}

impl Input for Result<WebSocketUpgrade, WebSocketUpgradeRejection> {
    fn describe(_: &mut Facts<'_>) {}
}

impl<T: Output> Output for Result<T, Refusal> {
    fn describe(facts: &mut Facts<'_>) {
        T::describe(facts);
        facts.may_fail();
    }
}

impl<T: JsonSchema> Output for Json<T> {
    fn describe(facts: &mut Facts<'_>) {
        facts.json::<T>("200");
    }
}

impl<T: JsonSchema> Output for Written<T> {
    fn describe(facts: &mut Facts<'_>) {
        facts.json::<T>("200");
    }
}

impl<T: JsonSchema> Output for Created<T> {
    fn describe(facts: &mut Facts<'_>) {
        facts.json::<T>("201");
    }
}

impl<T: JsonSchema> Output for Accepted<T> {
    fn describe(facts: &mut Facts<'_>) {
        facts.json::<T>("202");
        facts.json::<T>("200");
        facts.responses["200"]["description"] = "It was sent before, and is not sent again.".into();
    }
}

impl Output for Responses {
    fn describe(facts: &mut Facts<'_>) {
        facts.json::<RpcReply>("200");
        facts.respond(
            "204",
            "Every call was a notification, which has no response.",
        );
    }
}

impl Output for NoContent {
    fn describe(facts: &mut Facts<'_>) {
        facts.respond("204", "It is done.");
    }
}

impl Output for Events {
    fn describe(facts: &mut Facts<'_>) {
        let events = facts.output::<SessionEvents>();
        let text = "Server-sent events. The name of an event is a key of `SessionEvents`, its data JSON of the type \
            there. Comments show that the connection lives.";
        facts.respond("200", text);
        facts.responses["200"]["content"]["text/event-stream"] = json!({
            "schema": { "type": "string" },
            "x-events": events
        });
    }
}

impl Output for Upgraded {
    fn describe(facts: &mut Facts<'_>) {
        let (sent, received) = (
            facts.input::<SocketRequest>(),
            facts.output::<SocketMessage>(),
        );
        let text = "A WebSocket. Every message is text with JSON: `x-client-message` and `x-server-message` have the \
            types.";
        facts.respond("101", text);
        facts.responses["101"]["x-client-message"] = sent;
        facts.responses["101"]["x-server-message"] = received;
    }
}

impl Output for Metrics {
    fn describe(facts: &mut Facts<'_>) {
        facts.respond("200", "The metrics, in the text form of Prometheus.");
        facts.responses["200"]["content"]["text/plain"] = json!({ "schema": { "type": "string" } });
    }
}

impl<T: JsonSchema> Output for Table<T> {
    fn describe(facts: &mut Facts<'_>) {
        facts.json::<T>("200");
        let response = &mut facts.responses["200"];
        response["content"]["text/csv"] = json!({ "schema": { "type": "string" } });
        response["headers"] =
            missing("What the table lacks, as a sentence. Absent if it is whole.");
    }
}

impl<T: JsonSchema> Output for Partial<T> {
    fn describe(facts: &mut Facts<'_>) {
        facts.json::<T>("200");
        let text = "What the result lacks, as a sentence. Absent if it is whole.";
        facts.responses["200"]["headers"] = missing(text);
    }
}

fn missing(text: &str) -> serde_json::Value {
    json!({ MISSING: { "description": text, "schema": { "type": "string" } } })
}

impl Output for Document {
    fn describe(facts: &mut Facts<'_>) {
        facts.respond("200", "An OpenAPI 3.1 document.");
        let schema = json!({ "schema": { "type": "object" } });
        facts.responses["200"]["content"]["application/json"] = schema;
    }
}

impl Output for NewLink {
    fn describe(facts: &mut Facts<'_>) {
        facts.json::<crate::LoginLink>("201");
    }
}

impl Output for LoginPage {
    fn describe(facts: &mut Facts<'_>) {
        facts.respond("200", "A page whose script logs the browser in.");
        facts.responses["200"]["content"]["text/html"] = json!({ "schema": { "type": "string" } });
    }
}

impl Output for LoggedIn {
    fn describe(facts: &mut Facts<'_>) {
        facts.respond("204", "The browser is logged in.");
        facts.responses["204"]["headers"] = set_cookie();
    }
}

impl Output for LoggedOut {
    fn describe(facts: &mut Facts<'_>) {
        facts.respond("204", "The browser is logged out.");
        facts.responses["204"]["headers"] = set_cookie();
    }
}

fn set_cookie() -> serde_json::Value {
    json!({ "Set-Cookie": {
        "description": "The cookie of the login, or its end.",
        "schema": { "type": "string" }
    } })
}
