use serde_json::{Value, json};

use super::super::holds::{holds, texts};
use super::*;

const MADE: &str = "2026-01-01T00:00:00Z";

/// With its tag another one it is of a kind that claw does not know.
fn output_holds(output: impl Into<ProjectsOutput>, json: &Value, free: &[&str]) {
    holds(&output.into(), json, &[free, &["method"]].concat());
}

#[test]
fn what_to_do() {
    let input = ProjectsInput::new(ProjectsMethod::MemoryRead)
        .path("claude/a.md")
        .content("a")
        .local_path("a.md")
        .present_to_user(true)
        .query("a")
        .n(3);
    holds(
        &input,
        &json!({
            "method": "project_memory_read", "path": "claude/a.md", "content": "a",
            "local_path": "a.md", "present_to_user": true, "query": "a", "n": 3
        }),
        &[],
    );
}

#[test]
fn info() {
    let docs = vec![
        ProjectDoc::new("a.md"),
        ProjectDoc::new("b.md").created_at(MADE),
    ];
    let source = ProjectSyncSource::new(json!({"repo": "a/b"})).kind("github");
    let info = ProjectInfo::new("P", "For p", "Be kind", docs, ProjectKnowledge::new(1, 2))
        .notice("n")
        .local_file("/tmp/p")
        .files(vec![ProjectFile::new("c.png", "image")])
        .sync_sources(vec![source]);
    output_holds(
        info,
        &json!({
            "method": "project_info", "name": "P", "description": "For p",
            "instructions": "Be kind",
            "docs": [{"path": "a.md", "created_at": null}, {"path": "b.md", "created_at": MADE}],
            "knowledge": {"knowledge_size": 1, "max_knowledge_size": 2},
            "notice": "n", "local_file": "/tmp/p",
            "files": [{"path": "c.png", "file_kind": "image", "created_at": null}],
            "sync_sources": [{"type": "github", "config": {"repo": "a/b"}}]
        }),
        &["sync_sources[0].config"],
    );
}

#[test]
fn documents() {
    let read = ProjectRead::new("a.md")
        .created_at(MADE)
        .notice("n")
        .file_kind("pdf")
        .content("a")
        .local_file("/tmp/a");
    output_holds(
        read,
        &json!({
            "method": "project_read", "path": "a.md", "created_at": MADE, "notice": "n",
            "file_kind": "pdf", "content": "a", "local_file": "/tmp/a"
        }),
        &[],
    );
    let hit = ProjectHit::new()
        .name("a")
        .doc_uuid("d1")
        .text("a a")
        .image_attached(false)
        .page(2);
    let search = ProjectSearch::new(true)
        .notice("n")
        .hits(vec![hit])
        .docs(texts(["a.md"]));
    output_holds(
        search,
        &json!({
            "method": "project_search", "rag": true, "notice": "n",
            "hits": [{
                "name": "a", "doc_uuid": "d1", "text": "a a", "image_attached": false, "page": 2
            }],
            "docs": ["a.md"]
        }),
        &[],
    );
    let write = ProjectWrite::new("a.md", "d1", true)
        .notice("n")
        .present_to_user(false)
        .local_path("a.md");
    output_holds(
        write,
        &json!({
            "method": "project_write", "path": "a.md", "doc_uuid": "d1", "replaced": true,
            "notice": "n", "present_to_user": false, "local_path": "a.md"
        }),
        &[],
    );
    output_holds(
        ProjectDelete::new("a.md", true).notice("n"),
        &json!({"method": "project_delete", "path": "a.md", "deleted": true, "notice": "n"}),
        &[],
    );
}

#[test]
fn memory() {
    let file = ProjectMemoryFile::new("m.md", 3, false).updated_at(MADE);
    output_holds(
        ProjectMemoryList::new(vec![file], true).notice("n"),
        &json!({
            "method": "project_memory_list",
            "files": [{"path": "m.md", "size_bytes": 3, "updated_at": MADE, "truncated": false}],
            "truncated": true, "notice": "n"
        }),
        &[],
    );
    let read = ProjectMemoryRead::new("m.md", 3, false)
        .notice("n")
        .content("m")
        .local_file("/tmp/m");
    output_holds(
        read,
        &json!({
            "method": "project_memory_read", "path": "m.md", "size_bytes": 3, "updated_at": null,
            "truncated": false, "notice": "n", "content": "m", "local_file": "/tmp/m"
        }),
        &[],
    );
}
