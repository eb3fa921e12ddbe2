//! The blocks of a message: tool uses, results and pictures.

use std::borrow::Cow;

use super::change::RepairEffect::{LeftOut, Recovered};
use super::change::{RepairProblem, Report};
use super::picture::{Verdict, of_block};
use super::survey::Survey;
use crate::members::{Members, array, items, quoted};

/// The text of a result that replaces a missing one.
const NO_RESULT: &str =
    "[The result of this tool use is missing in the transcript. The tool may have run.]";

/// Mends the blocks of a prompt or a result. Returns the new value of `message`, or `None` if the value is unchanged.
pub(super) fn mended(
    record: &Members<'_>,
    number: u64,
    survey: &Survey,
    report: &mut Report,
) -> Option<Vec<u8>> {
    if record.text("type")? != "user" {
        return None;
    }
    let mut message = Members::parse(record.get("message")?)?;
    let blocks = items(message.get("content")?)?;
    let mut is_changed = false;
    let mut mended = Vec::with_capacity(blocks.len());
    for block in blocks {
        let parts = block_parts(block, number, survey, report);
        is_changed |= parts.is_some();
        mended.extend(parts.unwrap_or_else(|| vec![block.to_vec()]));
    }
    if !is_changed {
        return None;
    }
    message.set("content", array(mended));
    Some(message.to_text())
}

/// Returns the blocks that replace a block, or `None` if the block is unchanged.
fn block_parts(
    block: &[u8],
    number: u64,
    survey: &Survey,
    report: &mut Report,
) -> Option<Vec<Vec<u8>>> {
    let mut parsed = Members::parse(block)?;
    match &*parsed.text("type")? {
        "image" => Some(vec![mended_picture(&parsed, number, report)?]),
        "tool_result" => {
            let inner = parsed.get("content").and_then(items);
            let mut is_changed = false;
            let inner = inner.map(|blocks| {
                let blocks = blocks.into_iter().map(|block| {
                    let picture = Members::parse(block)
                        .filter(|block| block.text("type").as_deref() == Some("image"))
                        .and_then(|picture| mended_picture(&picture, number, report));
                    is_changed |= picture.is_some();
                    picture.unwrap_or_else(|| block.to_vec())
                });
                blocks.collect::<Vec<_>>()
            });
            let id = parsed.text("tool_use_id").map(Cow::into_owned);
            let is_unknown = id.as_ref().is_some_and(|id| {
                let name = survey.name(id);
                name.is_some_and(|name| survey.unknown.contains(&name))
            });
            if let Some(id) = id.filter(|_| is_unknown) {
                let intro = text_block(&format!(
                    "[The result of the tool use {id}, which is missing in the transcript:]"
                ));
                report.add(number, RepairProblem::ResultWithoutUse { id }, Recovered);
                let content = parsed.text("content").filter(|text| !text.is_empty());
                let content = content.map(|text| text_block(&text));
                return Some(
                    [
                        vec![intro],
                        content.into_iter().collect(),
                        inner.unwrap_or_default(),
                    ]
                    .concat(),
                );
            }
            let inner = inner.filter(|_| is_changed)?;
            parsed.set("content", array(inner));
            Some(vec![parsed.to_text()])
        }
        _ => None,
    }
}

fn mended_picture(block: &Members<'_>, number: u64, report: &mut Report) -> Option<Vec<u8>> {
    let (verdict, media_type) = of_block(block)?;
    match verdict {
        Verdict::Fine => None,
        Verdict::Type(to) => {
            let problem = RepairProblem::PictureType {
                from: media_type,
                to,
            };
            report.add(number, problem, Recovered);
            let mut source = Members::parse(block.get("source")?)?;
            source.set("media_type", quoted(to));
            let mut mended = Members::parse(b"{\"type\":\"image\"}")?;
            mended.set("source", source.to_text());
            Some(mended.to_text())
        }
        Verdict::Refused(reason) => {
            report.add(number, RepairProblem::PictureRefused { reason }, LeftOut);
            Some(text_block(&format!(
                "[A picture was here. It was left out, because {reason}.]"
            )))
        }
    }
}

fn text_block(text: &str) -> Vec<u8> {
    let text = quoted(text);
    [b"{\"type\":\"text\",\"text\":", &*text, b"}"].concat()
}

/// Returns a line with results for tool uses without results. It comes after the line with the tool uses.
pub(super) fn results(record: &Members<'_>, ids: &[String], uuid: &str, session: &str) -> Vec<u8> {
    let result = |id: &String| {
        let (id, text) = (quoted(id), quoted(NO_RESULT));
        let start: &[u8] = b"{\"type\":\"tool_result\",\"tool_use_id\":";
        [start, &id, b",\"content\":", &text, b",\"is_error\":true}"].concat()
    };
    let content = array(ids.iter().map(result));
    let mut line = Members::default();
    let parent = record.get("uuid").unwrap_or(b"null").to_vec();
    line.set("parentUuid", parent.clone());
    line.set("isSidechain", *b"false");
    line.set("type", *b"\"user\"");
    line.set(
        "message",
        [b"{\"role\":\"user\",\"content\":", &*content, b"}"].concat(),
    );
    line.set("uuid", quoted(uuid));
    line.set("sourceToolAssistantUUID", parent);
    line.set("sessionId", quoted(session));
    for name in [
        "timestamp",
        "userType",
        "entrypoint",
        "cwd",
        "version",
        "gitBranch",
    ] {
        if let Some(value) = record.get(name) {
            line.set(name, value);
        }
    }
    line.to_text()
}
