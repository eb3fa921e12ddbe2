//! Tests which elements a live page folds.

use claw_view::element::Content;
use claw_view::html::Html;

use crate::sessions::{driven, fed};

#[test]
fn a_live_page_folds_the_summary_of_a_compaction_and_what_a_turn_has_used() {
    let sessions = driven();
    let compact = sessions.iter().find(|session| session.name == "compact");
    let lines = compact.unwrap().stdout.iter().map(String::as_str);
    let (elements, _, _) = fed(lines);
    let mut folded = 0;
    for element in elements.iter() {
        let begin = match &element.content {
            Content::TurnEnd(end) if end.ok => "<details class=\"done\"><summary>Done</summary>",
            Content::ContextCompaction(compaction) if compaction.summary.is_some() => {
                "<details class=\"branch\"><summary>Summary</summary>"
            }
            _ => continue,
        };
        folded += 1;
        let live = Html::fragment(|html| html.element(element));
        assert!(live.contains(begin), "{live}");
        let mut page = Html::new(Vec::new());
        page.element(element).unwrap();
        let page = String::from_utf8(page.into_inner()).unwrap();
        assert!(!page.contains(begin), "{page}");
    }
    assert!(folded > 1, "{folded}");
}
