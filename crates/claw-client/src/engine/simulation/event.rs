//! The possible events.

#[cfg(test)]
use proptest::{collection::vec, prelude::*};

/// An event. Numbers select among the existing items.
#[derive(Debug, Clone)]
pub(super) enum Event {
    /// The host makes a call.
    Call,
    /// A caller stops waiting for its call.
    Forget(usize),
    Prompt,
    /// The CLI writes a line.
    Line(Line),
    /// The CLI writes the start of a line, and dies.
    Cut(Box<Line>, u8),
    /// The bytes of two lines are mixed.
    Mixed(Box<Line>, Box<Line>),
    Raw(Vec<u8>),
    /// A callback decides.
    Decide(usize, Decided),
    /// A callback decides about a request that was already answered or withdrawn.
    DecideLate(usize),
    /// The handshake is repeated, and its response contains open requests.
    Initialize,
    Backlogged,
    /// This number of milliseconds passes.
    Time(u32),
    /// The pipe ends, the CLI crashes, or the session is closed.
    End,
}

/// A line that the simulated CLI writes.
#[derive(Debug, Clone)]
pub(super) enum Line {
    /// A response to one of the calls, or to an unknown one.
    Answer(usize, Answer),
    Request(usize, Requested),
    Cancel(usize),
    Init(usize, bool),
    Result(usize, bool),
    Lifecycle(usize, u8),
    State(u8),
    Message,
    KeepAlive,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Success,
    /// A success without a payload.
    Nothing,
    Error,
    /// A response that lists pending requests. Such a list has an effect only in a response to the handshake.
    Pending(usize),
    Unreadable,
    /// A response to a call ID that was never used.
    Nobody,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Requested {
    Permission,
    /// A permission request that cannot be read.
    BadPermission,
    /// A call of the hook with this index in `HOOKS`.
    Hook(usize),
    BadHook(usize),
    UnknownHook,
    Elicitation,
    Dialog,
    /// A dialog of a kind that this host does not show.
    OtherDialog,
    /// A call of an MCP server.
    Mcp,
    Other,
    /// A request for a host on another connection.
    NotOurs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decided {
    Yes,
    No,
    /// The callback fails: it returns an error, panics or drops its responder.
    Failed,
    /// An answer to another kind of request.
    Wrong,
    Elsewhere,
}

/// A random number that is divided into choices. A smaller number makes a simpler event, so that proptest can shrink
/// the number. A tree of proptest's strategies would take ten times as long.
struct Choices(u64);

impl Choices {
    /// Returns a number below `sides`.
    fn below(&mut self, sides: u64) -> u64 {
        let rolled = self.0 % sides;
        self.0 /= sides;
        rolled
    }

    fn pick(&mut self) -> usize {
        usize::try_from(self.below(8)).unwrap_or_default()
    }

    fn boolean(&mut self) -> bool {
        self.below(2) == 0
    }

    fn byte(&mut self) -> u8 {
        u8::try_from(self.below(256)).unwrap_or_default()
    }

    fn answer(&mut self) -> Answer {
        match self.below(11) {
            0..4 => Answer::Success,
            4 => Answer::Nothing,
            5 | 6 => Answer::Error,
            7 | 8 => Answer::Pending(self.pick()),
            9 => Answer::Unreadable,
            _ => Answer::Nobody,
        }
    }

    fn requested(&mut self) -> Requested {
        match self.below(19) {
            0..4 => Requested::Permission,
            4 => Requested::BadPermission,
            5..9 => Requested::Hook(self.pick()),
            9 => Requested::BadHook(self.pick()),
            10 => Requested::UnknownHook,
            11 | 12 => Requested::Elicitation,
            13 | 14 => Requested::Dialog,
            15 => Requested::OtherDialog,
            16 => Requested::Other,
            17 => Requested::Mcp,
            _ => Requested::NotOurs,
        }
    }

    fn decided(&mut self) -> Decided {
        match self.below(10) {
            0..4 => Decided::Yes,
            4 | 5 => Decided::No,
            6 | 7 => Decided::Failed,
            8 => Decided::Wrong,
            _ => Decided::Elsewhere,
        }
    }

    fn line(&mut self) -> Line {
        match self.below(32) {
            0 | 1 => Line::Message,
            2 => Line::KeepAlive,
            3..9 => Line::Answer(self.pick(), self.answer()),
            9..18 => Line::Request(self.pick(), self.requested()),
            18..21 => Line::Cancel(self.pick()),
            21..23 => Line::Init(self.pick(), self.boolean()),
            23..27 => Line::Result(self.pick(), self.boolean()),
            27..30 => Line::Lifecycle(self.pick(), self.byte() % 4),
            _ => Line::State(self.byte() % 3),
        }
    }

    fn event(&mut self) -> Event {
        match self.below(52) {
            0..4 => Event::Call,
            4..8 => Event::Prompt,
            8..32 => Event::Line(self.line()),
            32..39 => Event::Decide(self.pick(), self.decided()),
            39..41 => Event::Forget(self.pick()),
            41 => Event::DecideLate(self.pick()),
            42..46 => Event::Time(u32::try_from(self.below(50_000)).unwrap_or_default()),
            46 => Event::Initialize,
            47 => Event::Backlogged,
            48 => Event::Cut(Box::new(self.line()), self.byte()),
            49 => Event::Mixed(Box::new(self.line()), Box::new(self.line())),
            50 => Event::Raw((0..self.byte() % 6).map(|_| self.byte()).collect()),
            _ if self.below(3) == 0 => Event::End,
            _ => Event::Time(1),
        }
    }
}

/// Decodes the events from bytes. Each event has eight bytes.
pub(super) fn of_bytes(bytes: &[u8]) -> Vec<Event> {
    let (numbers, _) = bytes.as_chunks();
    let numbers = numbers.iter().map(|bytes| u64::from_le_bytes(*bytes));
    numbers.map(|number| Choices(number).event()).collect()
}

/// Generates up to this many events.
#[cfg(test)]
pub(super) fn events(most: usize) -> impl Strategy<Value = Vec<Event>> {
    vec(any::<u64>(), 0..most).prop_map(|numbers| {
        let events = numbers.into_iter().map(|number| Choices(number).event());
        events.collect()
    })
}
