use serde_json::{Value, json};

use super::super::holds::{holds, texts};
use super::*;
use crate::True;

const URL: &str = "https://claude.ai/artifact/a";
const OTHER: &str = "https://claude.ai/artifact/b";

fn output_holds(output: impl Into<ArtifactOutput>, json: &Value, free: &[&str]) {
    let output = output.into();
    assert!(!output.is_unknown());
    holds(&output, json, free);
}

#[test]
fn what_to_do() {
    let input = ArtifactInput::new()
        .action(ArtifactAction::UploadAsset)
        .file_path("a.html")
        .favicon("x")
        .icon("chart")
        .limit(5)
        .page_token("p2")
        .scope(ArtifactScope::Shared)
        .title("A")
        .description("What a is")
        .label("draft")
        .url(URL)
        .prompt("How much?")
        .force(false)
        .pin(true)
        .out_dir("/tmp")
        .file_paths(texts(["a.png", "b.png"]))
        .asset_id("00")
        .after("n2")
        .capabilities(json!({"storage": {}}))
        .contract(ArtifactContract::Latest);
    holds(
        &input,
        &json!({
            "action": "upload_asset", "file_path": "a.html", "favicon": "x", "icon": "chart",
            "limit": 5, "page_token": "p2", "scope": "shared", "title": "A",
            "description": "What a is", "label": "draft", "url": URL, "prompt": "How much?",
            "force": false, "pin": true, "out_dir": "/tmp", "file_paths": ["a.png", "b.png"],
            "asset_id": "00", "after": "n2", "capabilities": {"storage": {}}, "contract": "latest"
        }),
        &["capabilities"],
    );
}

#[test]
fn what_has_no_known_key_is_kept() {
    for json in [json!({}), json!({"types": [{"path": 1}]})] {
        let output: ArtifactOutput = serde_json::from_value(json.clone()).unwrap();
        assert!(output.is_unknown());
        assert_eq!(serde_json::to_value(&output).unwrap(), json);
    }
    let error = serde_json::from_value::<ArtifactOutput>(json!([])).unwrap_err();
    assert!(error.to_string().contains("asset_delete"), "{error}");
}

#[test]
fn the_key_may_stand_anywhere() {
    let text = format!(
        r#"{{"owned":true,"written":{{"url":"{URL}"}},"asset_delete":{{"id":"f","deleted":true}}}}"#
    );
    let read: ArtifactOutput = serde_json::from_str(&text).unwrap();
    let deleted = ArtifactAssetDeleted::new(ArtifactAssetDelete::new("f", true))
        .owned(true)
        .written(ArtifactWritten::new(URL));
    assert_eq!(read, deleted.into());
}

#[test]
fn a_page_is_published() {
    let stored = ArtifactStored::new("2")
        .preferred_contract("3")
        .capabilities(json!({"storage": {}}))
        .carried(true)
        .read("whole");
    let published = ArtifactPublished::new(URL, "a.html")
        .artifact_id("a")
        .title("A")
        .version("v2")
        .capabilities(json!({"storage": {}}))
        .stored(stored)
        .warnings(texts(["large"]))
        .publishes_remaining(4)
        .publishes_reset_at(1_800_000_000)
        .contract("2")
        .updated(true)
        .owned(true)
        .icon("chart")
        .favicon_sent(True)
        .icon_dropped(True)
        .audience("organisation")
        .folder_audience(ArtifactFolderAudience::Others)
        .seq(2)
        .unchanged(True)
        .live_subscription("on")
        .pinned(false);
    output_holds(
        published,
        &json!({
            "url": URL, "path": "a.html", "artifact_id": "a", "title": "A", "version": "v2",
            "capabilities": {"storage": {}},
            "stored": {
                "contract": "2", "preferredContract": "3", "capabilities": {"storage": {}},
                "carried": true, "read": "whole"
            },
            "warnings": ["large"], "publishesRemaining": 4, "publishesResetAt": 1_800_000_000,
            "contract": "2", "updated": true, "owned": true, "icon": "chart", "faviconSent": true,
            "iconDropped": true, "audience": "organisation", "folder_audience": "others", "seq": 2,
            "unchanged": true, "liveSubscription": "on", "pinned": false
        }),
        &["capabilities", "stored.capabilities"],
    );
}

#[test]
fn pages_are_listed() {
    let page = ArtifactPage::new("A", URL)
        .favicon("x")
        .updated_at("2026-01-01T00:00:00Z")
        .rel(ArtifactRelation::Shared)
        .external(True)
        .role(ArtifactRole::Commenter)
        .outsiders_may_have_written(True)
        .pinned(true);
    let listed = ArtifactListed::new(vec![page])
        .truncated(true)
        .total(30)
        .total_at_least(True)
        .next_page_token("p2")
        .pins_enabled(true)
        .scope(ArtifactListScope::All)
        .external_listed(True);
    output_holds(
        listed,
        &json!({
            "artifacts": [{
                "title": "A", "url": URL, "favicon": "x", "updatedAt": "2026-01-01T00:00:00Z",
                "rel": "shared", "external": true, "role": "commenter",
                "outsidersMayHaveWritten": true, "pinned": true
            }],
            "truncated": true, "total": 30, "total_at_least": true, "next_page_token": "p2",
            "pins_enabled": true, "scope": "all", "external_listed": true
        }),
        &[],
    );
}

#[test]
fn a_page_is_read() {
    let read = ArtifactRead::new(URL, 3, 200, "OK", "<p>", 1.5).title("A");
    let source = ArtifactSource::new("a").ver("v2").seeded(false);
    output_holds(
        ArtifactView::new(read).owned(false).artifact_read(source),
        &json!({
            "read": {
                "url": URL, "bytes": 3, "code": 200, "codeText": "OK", "result": "<p>",
                "durationMs": 1.5, "title": "A"
            },
            "owned": false, "artifactRead": {"slug": "a", "ver": "v2", "seeded": false}
        }),
        &[],
    );
}

#[test]
fn a_page_is_pinned() {
    let pin = ArtifactPin::new(ArtifactPinAction::Unpin, URL, false).title("A");
    output_holds(
        ArtifactPinned::new(pin),
        &json!({"pin": {"action": "unpin", "url": URL, "pinned": false, "title": "A"}}),
        &[],
    );
}

#[test]
fn a_page_is_watched() {
    let started = ArtifactWatchStarted::new(URL, true, "armed")
        .reason("asked")
        .durable_skip_reason("off")
        .task_id("t1")
        .since(1)
        .token_expires_at(2)
        .rail("live")
        .trigger_id("g1")
        .durable_since("2026-01-01T00:00:00Z")
        .status(403)
        .detail("no")
        .note("n")
        .events(texts(["version"]));
    output_holds(
        ArtifactWatching::new(started),
        &json!({"watch": {
            "url": URL, "watching": true, "outcome": "armed", "reason": "asked",
            "durable_skip_reason": "off", "task_id": "t1", "since": 1, "token_expires_at": 2,
            "rail": "live", "trigger_id": "g1", "durable_since": "2026-01-01T00:00:00Z",
            "status": 403, "detail": "no", "note": "n", "events": ["version"]
        }}),
        &[],
    );
    output_holds(
        ArtifactUnwatched::new(ArtifactUnwatch::new(URL, true)),
        &json!({"unwatch": {"url": URL, "was_watching": true}}),
        &[],
    );
}

#[test]
fn pages_are_watched() {
    let live = ArtifactLiveWatch::new(URL, "t1", 1, true, false, 2)
        .connecting(true)
        .armed_via("publish");
    let durable = ArtifactDurableWatch::new(URL, "g1", "2026-01-01T00:00:00Z")
        .events(texts(["version"]))
        .restored(true);
    let stopped = ArtifactStoppedWatch::new(OTHER, "refused")
        .since(1)
        .explicit(false)
        .armed_via("watch");
    let arm = ArtifactArm::new(OTHER, "waiting")
        .rail("live")
        .reconnect(true)
        .failures(1)
        .max_failures(5)
        .next_in_s(30)
        .last_failure("timeout")
        .reason("network")
        .detail("d")
        .server_message("s")
        .at(3);
    let watches = ArtifactWatches::new(vec![
        live.into(),
        ArtifactRailWatch::from(durable).into(),
        ArtifactRailWatch::from(stopped).into(),
    ]);
    output_holds(
        watches.filter_url(URL).arms(vec![arm]),
        &json!({
            "watches": [
                {
                    "url": URL, "task_id": "t1", "since": 1, "explicit": true, "connected": false,
                    "token_expires_at": 2, "connecting": true, "armed_via": "publish"
                },
                {
                    "rail": "durable_wake", "url": URL, "trigger_id": "g1",
                    "since": "2026-01-01T00:00:00Z", "events": ["version"], "restored": true
                },
                {
                    "rail": "live_stopped", "url": OTHER, "stop_kind": "refused", "since": 1,
                    "explicit": false, "armed_via": "watch"
                }
            ],
            "filter_url": URL,
            "arms": [{
                "url": OTHER, "state": "waiting", "rail": "live", "reconnect": true,
                "failures": 1, "max_failures": 5, "next_in_s": 30, "last_failure": "timeout",
                "reason": "network", "detail": "d", "server_message": "s", "at": 3
            }]
        }),
        &["watches[1].rail", "watches[2].rail"],
    );
}

#[test]
fn files_are_added() {
    let file = ArtifactFile::new("f", URL, 3, "image/png", "a.png").sha256("00");
    let uploaded = ArtifactAssetUploaded::new(file)
        .written(ArtifactWritten::new(OTHER))
        .owned(true);
    output_holds(
        uploaded,
        &json!({
            "asset_upload": {
                "id": "f", "url": URL, "size_bytes": 3, "content_type": "image/png",
                "file_name": "a.png", "sha256": "00"
            },
            "written": {"url": OTHER}, "owned": true
        }),
        &[],
    );
    let upload =
        ArtifactAssetUpload::new("./a.png", "f", URL, 3, "image/png", "a.png").sha256("00");
    let failed = ArtifactAssetFailed::new("./b.png", "too_large", "Too large").may_be_stored(True);
    let left = ArtifactAssetNotAttempted::new("./c.png", "stopped", "Stopped").may_be_stored(True);
    let results = vec![upload.into(), failed.into(), left.into()];
    let uploads = ArtifactAssetsUploaded::new(ArtifactAssetUploads::new(OTHER, results))
        .written(ArtifactWritten::new(OTHER))
        .owned(true);
    output_holds(
        uploads,
        &json!({
            "asset_uploads": {"url": OTHER, "results": [
                {
                    "status": "uploaded", "file_path": "./a.png", "id": "f", "url": URL,
                    "size_bytes": 3, "content_type": "image/png", "file_name": "a.png",
                    "sha256": "00"
                },
                {
                    "status": "failed", "file_path": "./b.png", "reason": "too_large",
                    "message": "Too large", "may_be_stored": true
                },
                {
                    "status": "not_attempted", "file_path": "./c.png", "reason": "stopped",
                    "message": "Stopped", "may_be_stored": true
                }
            ]},
            "written": {"url": OTHER}, "owned": true
        }),
        &[
            "asset_uploads.results[0].status",
            "asset_uploads.results[1].status",
            "asset_uploads.results[2].status",
        ],
    );
}

#[test]
fn files_are_listed_saved_and_deleted() {
    let asset = ArtifactAsset::new("f", URL, "image/png", 3, "2026-01-01T00:00:00Z").sha256("00");
    let usage = ArtifactAssetUsage::new(1, 3, 100, 1000);
    let list = ArtifactAssetList::new(OTHER, vec![asset], usage)
        .next("n2")
        .cowritten(True)
        .outside_writer(True);
    output_holds(
        ArtifactAssetListed::new(list),
        &json!({"asset_list": {
            "url": OTHER,
            "assets": [{
                "id": "f", "url": URL, "content_type": "image/png", "size_bytes": 3,
                "created_at": "2026-01-01T00:00:00Z", "sha256": "00"
            }],
            "usage": {"files": 1, "bytes": 3, "max_files": 100, "max_bytes": 1000},
            "next": "n2", "cowritten": true, "outside_writer": true
        }}),
        &[],
    );
    let saved = ArtifactAssetSaved::new("f", "/tmp/f.png", 3, "image/png", "00")
        .cowritten(True)
        .outside_writer(True)
        .public_read(True)
        .foreign(True);
    output_holds(
        ArtifactAssetRead::new(saved),
        &json!({"asset_read": {
            "id": "f", "path": "/tmp/f.png", "size_bytes": 3, "content_type": "image/png",
            "sha256": "00", "cowritten": true, "outside_writer": true, "public_read": true,
            "foreign": true
        }}),
        &[],
    );
    let deleted = ArtifactAssetDeleted::new(ArtifactAssetDelete::new("f", true))
        .written(ArtifactWritten::new(OTHER))
        .owned(false);
    output_holds(
        deleted,
        &json!({
            "asset_delete": {"id": "f", "deleted": true}, "written": {"url": OTHER}, "owned": false
        }),
        &[],
    );
}
