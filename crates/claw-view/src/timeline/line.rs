//! Lines of any kind.

use claw_types::StdinMessage;
use claw_types::dialect::Today;

use super::{Origin, Timeline};
use crate::element::{NoticeKind, NoticeLevel};
use crate::read::{Read, read};

impl Timeline {
    pub(super) fn line(&mut self, line: &str) {
        let line = line.trim();
        if line.is_empty() {
            return;
        }
        let nobody = Origin::default();
        match read(line, self.inputs) {
            Read::Today(Today::Stdout(message)) => self.stdout(&message),
            Read::Today(Today::Stdin(StdinMessage::User(prompt))) => self.user(&(*prompt).into()),
            Read::Today(Today::Stdin(StdinMessage::ControlRequest(request))) => {
                self.control_request(&request);
            }
            Read::Today(_) => {}
            Read::Entry(entry) => self.entry(&entry),
            Read::Compacted => self.boundary(&nobody, None, None, None),
            Read::InputRequired => {
                let text = "The session waits for the person.".to_owned();
                self.add_notice(&nobody, (NoticeKind::Session, NoticeLevel::Info, text));
            }
            Read::Other(kind) => self.unknown(&nobody, &kind, line, None),
            Read::Unreadable(why) => self.unknown(&nobody, "unreadable", line, Some(why)),
        }
    }
}
