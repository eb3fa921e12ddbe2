//! The routes with which a page subscribes its device.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::NoContent;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Push;
use super::kept::{MOST_OF_OWNER, MOST_OF_USER, Subscription, decode};
use crate::actor::Actor;
use crate::api::Refusal;
use crate::api::table::SessionIn::Nothing;
use crate::api::table::{GET, POST, Row, page};
use crate::audit::{Act, Action};
use crate::object::{self, Object};
use crate::role::Role::View;

/// Maximum size of a body, in bytes.
const BODY: usize = 8 << 10;

/// Returns the rows of the routes for subscriptions.
pub(crate) fn rows() -> Vec<Row<Arc<Push>>> {
    vec![
        page(GET, "/push/key", View, Nothing, key).up_to(BODY),
        page(
            POST.records(Action::SubscribeDevice),
            "/push/subscribe",
            View,
            Nothing,
            subscribe,
        )
        .up_to(BODY),
        page(
            POST.records(Action::UnsubscribeDevice),
            "/push/unsubscribe",
            View,
            Nothing,
            unsubscribe,
        )
        .up_to(BODY),
    ]
}

async fn key(State(push): State<Arc<Push>>) -> Json<Value> {
    Json(json!({"key": push.key.public()}))
}

/// A subscription as the browser describes it, and whether the device may show text of conversations.
#[derive(Deserialize)]
struct New {
    #[serde(deserialize_with = "object::one")]
    subscription: OfBrowser,
    #[serde(default)]
    content: bool,
}

#[derive(Deserialize)]
struct OfBrowser {
    endpoint: String,
    #[serde(deserialize_with = "object::one")]
    keys: Keys,
}

#[derive(Deserialize)]
struct Keys {
    #[serde(deserialize_with = "decode")]
    p256dh: Vec<u8>,
    #[serde(deserialize_with = "decode")]
    auth: Vec<u8>,
}

async fn subscribe(
    State(push): State<Arc<Push>>,
    actor: Actor,
    act: Act,
    Object(new): Object<New>,
) -> Result<NoContent, Refusal> {
    let New {
        subscription: OfBrowser { endpoint, keys },
        content,
    } = new;
    let checked = push.bounds.check(&endpoint).await;
    checked.map_err(|error| Refusal::bad(error.to_string()))?;
    let new = Subscription {
        endpoint,
        key: keys.p256dh,
        auth: keys.auth,
        content,
        user: actor.user().map(|user| user.id.clone()),
    };
    if new.auth.len() != 16 || super::crypto::encrypt(b"", &new.key, &new.auth).is_err() {
        return Err(Refusal::bad("the keys of the subscription are none"));
    }
    act.what(|| service(&new.endpoint));
    act.record().await?;
    let has_room = claw_sessions::on_pool::run(move || push.kept.add(new)).await;
    if has_room {
        return Ok(NoContent);
    }
    let most = actor.user().map_or(MOST_OF_OWNER, |_| MOST_OF_USER);
    let text = format!(
        "{most} of your devices, or those of too many users, are told already: switch the notifications of another one off"
    );
    Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "busy", text))
}

/// Returns the host in the address of a push service. The rest of the address is a secret, and must not be in the audit log.
fn service(endpoint: &str) -> String {
    let address = endpoint.parse::<Uri>().ok();
    let host = address.as_ref().and_then(Uri::host);
    host.unwrap_or("an unknown service").to_owned()
}

#[derive(Deserialize)]
struct Gone {
    endpoint: String,
}

async fn unsubscribe(
    State(push): State<Arc<Push>>,
    act: Act,
    Object(Gone { endpoint }): Object<Gone>,
) -> Result<NoContent, Refusal> {
    act.what(|| service(&endpoint));
    act.record().await?;
    claw_sessions::on_pool::run(move || push.kept.remove(&endpoint)).await;
    Ok(NoContent)
}
