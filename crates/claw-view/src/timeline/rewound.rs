//! Rewound branches of a transcript. Each branch becomes one element. It is at the position at which the branch ended.

use claw_types::transcript::Entry;

use super::{Elements, Input, Origin, Timeline};
use crate::element::{Content, RewoundBranch};

/// A branch that is being read.
#[derive(Debug)]
pub(super) struct Branch {
    number: u32,
    timeline: Timeline,
    elements: Elements,
    from: Origin,
}

impl Timeline {
    pub(super) fn rewound_entry(&mut self, entry: &Entry, number: u32) {
        if self
            .branch
            .as_ref()
            .is_some_and(|open| open.number != number)
        {
            self.end_branch();
        }
        let branch = self.branch.get_or_insert_with(|| {
            Box::new(Branch {
                number,
                timeline: Self::default(),
                elements: Elements::default(),
                from: Origin::new(None, entry.uuid(), entry.timestamp()),
            })
        });
        let changes = branch.timeline.push(Input::Entry(entry));
        branch.elements.extend(changes);
    }

    /// Ends the branch that was being read, if there is one, and adds its element.
    pub(super) fn end_branch(&mut self) {
        let Some(mut branch) = self.branch.take() else {
            return;
        };
        let changes = branch.timeline.push(Input::ProcessEnded);
        branch.elements.extend(changes);
        self.left_out += branch.timeline.left_out;
        let elements: Vec<_> = branch.elements.iter().cloned().collect();
        if elements.is_empty() {
            return;
        }
        let count = |is: fn(&Content) -> bool| {
            let of = elements.iter().filter(|element| element.parent.is_none());
            of.filter(|element| is(&element.content)).count() as u64
        };
        let prompts = count(|content| matches!(content, Content::UserInput(_)));
        let text = match prompts {
            0 => "rewound: an answer".to_owned(),
            1 => "rewound: 1 prompt".to_owned(),
            prompts => format!("rewound: {prompts} prompts"),
        };
        let id = format!("rewound.{}", self.name(&branch.from, "branch"));
        let content = RewoundBranch {
            text,
            prompts,
            elements,
        };
        self.add(&branch.from, id, Content::Rewound(content));
    }
}
