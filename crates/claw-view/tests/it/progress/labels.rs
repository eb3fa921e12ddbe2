//! Tests with texts in which people have labelled progress: how much of it is found, and how much is found wrongly.

use std::path::Path;
use std::{env, fs};

use claw_view::progress::{self, Progress};
use serde::Deserialize;

#[derive(Deserialize)]
struct Label {
    text: String,
    #[serde(rename = "where")]
    place: String,
    tool: String,
    progress: Option<Numbers>,
}

#[derive(Deserialize, Debug)]
struct Numbers {
    completed: Option<u64>,
    total: Option<u64>,
    percentage: Option<f64>,
}

impl Numbers {
    /// Whether the numbers are those of the found progress. Percentages may differ by one, because tools round
    /// differently.
    fn are_those_of(&self, found: &Progress) -> bool {
        let near = match (self.percentage, found.percentage) {
            (Some(labelled), Some(found)) => (labelled - found).abs() <= 1.0,
            (labelled, found) => labelled.is_none() && found.is_none(),
        };
        near && self.completed == found.completed && self.total == found.total
    }
}

fn labels(file: &str) -> Vec<Label> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/it/progress/labels")
        .join(file);
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Returns all labelled texts.
pub(crate) fn texts() -> impl Iterator<Item = String> {
    let files = ["seen.ndjson", "unseen.ndjson"].into_iter();
    files.flat_map(labels).map(|label| label.text)
}

#[derive(Default)]
struct Figures {
    found: u32,
    wrong: u32,
    missed: u32,
    exact: u32,
    lines: u32,
}

impl Figures {
    fn of(labels: &[Label], shown: bool) -> Self {
        let mut figures = Self::default();
        for label in labels {
            figures.lines += 1;
            let found = match label.place.as_str() {
                "bash" => progress::in_output(&label.text),
                _ => progress::in_prose(&label.text),
            };
            match (&label.progress, &found) {
                (Some(numbers), Some(found)) => {
                    figures.found += 1;
                    if numbers.are_those_of(found) {
                        figures.exact += 1;
                    } else if shown {
                        println!(
                            "OTHER {} {:?} {numbers:?} {found:?}",
                            label.tool, label.text
                        );
                    }
                }
                (None, Some(_)) => {
                    figures.wrong += 1;
                    if shown {
                        println!("WRONG {} {:?} {found:?}", label.tool, label.text);
                    }
                }
                (Some(_), None) => {
                    figures.missed += 1;
                    if shown {
                        println!("MISSED {} {:?}", label.tool, label.text);
                    }
                }
                (None, None) => {}
            }
        }
        figures
    }

    fn and(&self, other: &Self) -> Self {
        Self {
            found: self.found + other.found,
            wrong: self.wrong + other.wrong,
            missed: self.missed + other.missed,
            exact: self.exact + other.exact,
            lines: self.lines + other.lines,
        }
    }

    fn precision(&self) -> f64 {
        f64::from(self.found) / f64::from(self.found + self.wrong)
    }

    fn recall(&self) -> f64 {
        f64::from(self.found) / f64::from(self.found + self.missed)
    }

    fn print(&self, name: &str) {
        println!(
            "{name}: {} texts, {} with progress; precision {:.3}, recall {:.3}; numbers as labelled in {} of {} found",
            self.lines,
            self.found + self.missed,
            self.precision(),
            self.recall(),
            self.exact,
            self.found,
        );
    }
}

#[test]
fn progress_is_found_in_labelled_texts() {
    let (seen, unseen) = (labels("seen.ndjson"), labels("unseen.ndjson"));
    // The texts of the unseen third are not printed, so that nobody adapts the rules to them.
    let (seen, unseen) = (Figures::of(&seen, true), Figures::of(&unseen, false));
    let both = seen.and(&unseen);
    seen.print("seen");
    unseen.print("unseen");
    both.print("both");
    assert!(both.lines >= 150 && unseen.lines * 3 >= both.lines);
    assert!(both.precision() >= 0.98 && both.recall() >= 0.90);
}
