//! The events of a turn in a simple form.

mod pieces;

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use claw_types::api::{
    ContentBlock, ContentBlockDelta, StreamEvent, ToolResultBlock, ToolUseBlock,
};
use claw_types::message::{McpServerInfo, StreamEventMessage};
use claw_types::{Json, Message, ToolUseId};
use futures::Stream;

use self::pieces::{Kind, Pieces};
use crate::outcome::answer::FinalAnswer;
use crate::outcome::error::Error;
use crate::outcome::received::{Received, Unreadable};
use crate::outcome::result::TurnResult;
use crate::session::messages::{Messages, Query, Turn};

/// An event of a turn: an item of [`TurnEvents`].
#[derive(Debug)]
#[non_exhaustive]
pub enum TurnEvent {
    /// Text of the model's answer, or the next piece of it. Never empty.
    Text(String),
    /// The model's thinking, or the next piece of it. Never empty.
    Thinking(String),
    /// A block of text or thinking is complete: its last piece was the event before. Neighbouring blocks are separate
    /// paragraphs, or parts of a sentence around a citation.
    BlockEnd,
    /// Text or thinking that is no longer part of the answer: the connection to the API, or the turn, broke off before
    /// its block was complete. Text of a new attempt may follow. Remove the withdrawn text from the display.
    Withdrawn(Withdrawn),
    /// MCP servers are neither connected nor disabled when the turn begins. Comes before the [`Other`](Self::Other)
    /// with the `system`/`init` message. To check for a server that the program needs, call that message's
    /// [`is_server_connected`](claw_types::message::SystemInit::is_server_connected).
    UnconnectedServers(Vec<McpServerInfo>),
    /// The model requests a tool use, with this [`typed_input`](ToolUseBlock::typed_input). The
    /// tool use can still be denied, or run with another input: a hook, a rule or a permission
    /// callback decides afterwards.
    ToolUse(Box<ToolUseBlock>),
    /// A tool use has completed, has failed or was denied.
    ToolResult(Box<ToolResult>),
    /// An event of a sub-agent. The text of a sub-agent appears only in these events, and requires
    /// [`forward_subagent_text`](claw_types::QueryOptions::forward_subagent_text).
    Subagent(Box<SubagentEvent>),
    /// The turn has ended.
    Result(TurnResult),
    /// A line that cannot be read. The following events still arrive.
    Unreadable(Unreadable),
    /// A message that the other events do not represent, or represent only in part, for
    /// example because it has blocks of other kinds. If the text of an answer arrived in pieces,
    /// the whole answer is repeated here.
    Other(Box<Message>),
}

/// Text and thinking that is no longer part of an answer. The content of [`TurnEvent::Withdrawn`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Withdrawn {
    /// The withdrawn text, which the last [`TurnEvent::Text`]s contained. Empty if only thinking is withdrawn.
    pub text: String,
    /// The withdrawn thinking, which the last [`TurnEvent::Thinking`]s contained. Empty if only text is withdrawn.
    pub thinking: String,
}

/// The result of a tool use. The content of [`TurnEvent::ToolResult`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolResult {
    /// The result block that the model reads.
    pub block: ToolResultBlock,
    /// The output of the tool as data, if the CLI sends it.
    pub output: Option<Json>,
}

impl ToolResult {
    /// Returns the ID of the tool use: the `id` of a [`TurnEvent::ToolUse`].
    pub fn tool_use_id(&self) -> &ToolUseId {
        &self.block.tool_use_id
    }

    /// Returns the text of the result that the model reads.
    pub fn text(&self) -> String {
        let content = self.block.content.as_ref();
        content
            .map(claw_types::api::Content::text)
            .unwrap_or_default()
    }

    /// Whether the tool use failed or was denied.
    pub fn is_error(&self) -> bool {
        self.block.is_error == Some(true)
    }
}

/// An event of a sub-agent. The content of [`TurnEvent::Subagent`].
#[derive(Debug)]
#[non_exhaustive]
pub struct SubagentEvent {
    /// The ID of the tool use that started the sub-agent.
    pub tool_use_id: ToolUseId,
    /// The event. Never a [`TurnEvent::Subagent`].
    pub event: TurnEvent,
}

/// A stream of simple events, made from a stream of messages. Returned by
/// [`Query::events`](crate::Query::events), [`Turn::events`] and
/// [`Messages::events`](crate::Messages::events).
///
/// ```no_run
/// use claw_client::{QueryOptions, TurnEvent, query};
/// use futures::TryStreamExt;
///
/// # async fn example() -> Result<(), claw_client::Error> {
/// let options = QueryOptions::default().include_partial_messages(true);
/// let mut events = query("Tidy up.", options).await?.events();
/// while let Some(event) = events.try_next().await? {
///     match event {
///         TurnEvent::Text(text) => print!("{text}"),
///         TurnEvent::BlockEnd => println!(),
///         TurnEvent::Withdrawn(_) => println!("\n[The connection broke off. The unfinished text above does not count.]"),
///         TurnEvent::ToolUse(tool) => println!("[{}]", tool.name),
///         TurnEvent::Result(result) => println!("\n${:.4}", result.total_cost_usd()),
///         _ => {}
///     }
/// }
/// # Ok(())
/// # }
/// ```
///
/// With [`include_partial_messages`](claw_types::QueryOptions::include_partial_messages) text and
/// thinking arrive in pieces. Without this option, they arrive one block at a time. In both cases,
/// each text arrives only once. Every message gives at least one event, so that nothing is lost: a
/// message that no simple event represents is a [`TurnEvent::Other`]. IDs, times and usage are only
/// in the messages.
///
/// The stream ends when the stream of messages ends. If an error ends it, the error is the last
/// item.
///
/// # Cancel safety
///
/// Cancel safe: no event is lost.
#[derive(Debug)]
pub struct TurnEvents<S = Turn> {
    messages: S,
    waiting: VecDeque<TurnEvent>,
    pieces: Pieces,
    answer: FinalAnswer,
}

impl Query {
    /// Converts the messages into a stream of simple events: text, tool uses, results.
    pub fn events(self) -> TurnEvents<Self> {
        TurnEvents::new(self)
    }
}

impl Turn {
    /// Converts the messages into a stream of simple events: text, tool uses, results.
    pub fn events(self) -> TurnEvents<Self> {
        TurnEvents::new(self)
    }
}

impl Messages {
    /// Converts the messages into a stream of simple events: text, tool uses, results.
    pub fn events(self) -> TurnEvents<Self> {
        TurnEvents::new(self)
    }
}

impl<S> TurnEvents<S> {
    pub(crate) fn new(messages: S) -> Self {
        Self {
            messages,
            waiting: VecDeque::new(),
            pieces: Pieces::default(),
            answer: FinalAnswer::default(),
        }
    }

    /// Returns the underlying stream of messages.
    pub fn get_ref(&self) -> &S {
        &self.messages
    }

    /// Converts a message into at least one event.
    fn convert(&mut self, message: Message) {
        let (parent, is_reported) = match &message {
            Message::StreamEvent(event) => {
                let parent = event.parent_tool_use_id.clone();
                let piece = self.piece(event);
                let is_reported = piece.is_some();
                self.push(parent.as_ref(), piece);
                (parent, is_reported)
            }
            Message::Assistant(answer) => {
                let parent = answer.parent_tool_use_id.clone();
                self.answer.push(&message);
                let is_reported = self.blocks(parent.as_ref(), &answer.message.content);
                (parent, is_reported)
            }
            Message::User(user) => {
                let parent = user.parent_tool_use_id.clone();
                self.answer.push(&message);
                if user.is_synthetic == Some(true) {
                    self.withdraw(parent.as_ref());
                }
                let blocks = user.message.content.blocks();
                let is_reported =
                    self.results(parent.as_ref(), blocks, user.tool_use_result.as_ref());
                (parent, is_reported)
            }
            Message::ResultSuccess(_) | Message::ResultError(_) | Message::ApiRetry(_) => {
                self.withdraw(None);
                (None, false)
            }
            Message::SystemInit(init) => {
                let servers: Vec<_> = init.unconnected_servers().cloned().collect();
                if !servers.is_empty() {
                    self.push(None, [TurnEvent::UnconnectedServers(servers)]);
                }
                (None, false)
            }
            _ => (None, false),
        };
        if is_reported {
            return;
        }
        let result = if message.is_result() {
            self.answer.result(message)
        } else {
            Err(message)
        };
        let event = match result {
            Ok(result) => TurnEvent::Result(result),
            Err(other) => TurnEvent::Other(Box::new(other)),
        };
        self.push(parent.as_ref(), [event]);
    }

    /// Adds an event for the abandoned blocks of an answer.
    fn withdraw(&mut self, parent: Option<&ToolUseId>) {
        let withdrawn = self.pieces.take_abandoned(parent);
        if withdrawn != Withdrawn::default() {
            self.push(parent, [TurnEvent::Withdrawn(withdrawn)]);
        }
    }

    fn push(&mut self, parent: Option<&ToolUseId>, events: impl IntoIterator<Item = TurnEvent>) {
        let events = events.into_iter().map(|event| match parent {
            Some(parent) => TurnEvent::Subagent(Box::new(SubagentEvent {
                tool_use_id: parent.clone(),
                event,
            })),
            None => event,
        });
        self.waiting.extend(events);
    }

    /// Returns the piece of text or thinking in an event of the API.
    fn piece(&mut self, event: &StreamEventMessage) -> Option<TurnEvent> {
        let parent = event.parent_tool_use_id.as_ref();
        if let Some(abandoned) = &event.abandoned_blocks {
            self.pieces.abandon(parent, abandoned.from_block_index);
        }
        let (index, kind, text) = match &event.event {
            StreamEvent::MessageStart(_) => {
                // Older CLIs do not report that they have abandoned an answer. The start of another
                // answer shows it.
                self.pieces.abandon_texts(parent);
                self.withdraw(parent);
                self.pieces.begin(parent);
                return None;
            }
            StreamEvent::ContentBlockStart(start) => {
                let (kind, text) = match &start.content_block {
                    ContentBlock::Text(block) => (Kind::Text, &block.text),
                    ContentBlock::Thinking(block) => (Kind::Thinking, &block.thinking),
                    _ => return None,
                };
                self.pieces.start(parent, start.index, kind);
                (start.index, kind, text)
            }
            StreamEvent::ContentBlockDelta(delta) => match &delta.delta {
                ContentBlockDelta::Text(piece) => (delta.index, Kind::Text, &piece.text),
                ContentBlockDelta::Thinking(piece) => {
                    (delta.index, Kind::Thinking, &piece.thinking)
                }
                _ => return None,
            },
            _ => return None,
        };
        let grows = !text.is_empty() && self.pieces.append(parent, index, kind, text);
        grows.then(|| kind.event(text))
    }

    /// Adds events for what is new in the blocks of an answer. Returns whether the blocks were
    /// fully represented by at least one event.
    fn blocks(&mut self, parent: Option<&ToolUseId>, blocks: &[ContentBlock]) -> bool {
        let (mut events, mut is_reported, mut ends) = (Vec::new(), true, 0);
        let is_known = |block: &ContentBlock| match block {
            ContentBlock::Text(block) => self.pieces.has(parent, Kind::Text, &block.text),
            ContentBlock::Thinking(block) => {
                self.pieces.has(parent, Kind::Thinking, &block.thinking)
            }
            _ => false,
        };
        if !blocks.iter().any(is_known) {
            self.withdraw(parent);
        }
        for block in blocks {
            let (kind, whole) = match block {
                ContentBlock::Text(block) => (Kind::Text, &block.text),
                ContentBlock::Thinking(block) => (Kind::Thinking, &block.thinking),
                ContentBlock::ToolUse(tool) => {
                    events.push(TurnEvent::ToolUse(Box::new(tool.clone())));
                    continue;
                }
                _ => {
                    is_reported = false;
                    continue;
                }
            };
            let new = self.pieces.unreported(parent, kind, whole);
            if !new.is_empty() {
                events.push(kind.event(new));
            }
            if !whole.is_empty() {
                events.push(TurnEvent::BlockEnd);
                ends += 1;
            }
        }
        is_reported &= events.len() > ends;
        self.push(parent, events);
        is_reported
    }

    /// Adds events for the results of tools. Returns whether the message has results and nothing
    /// else.
    fn results(
        &mut self,
        parent: Option<&ToolUseId>,
        blocks: &[ContentBlock],
        output: Option<&Json>,
    ) -> bool {
        let is_one = blocks.len() == 1;
        let results = blocks.iter().filter_map(|block| match block {
            ContentBlock::ToolResult(block) => Some(ToolResult {
                block: block.clone(),
                // If the message contains several results, it is unknown to which of them the output belongs.
                output: output.filter(|_| is_one).cloned(),
            }),
            _ => None,
        });
        let results: Vec<_> = results
            .map(|result| TurnEvent::ToolResult(Box::new(result)))
            .collect();
        let is_reported =
            !results.is_empty() && results.len() == blocks.len() && (is_one || output.is_none());
        self.push(parent, results);
        is_reported
    }
}

/// Converts any stream of received items into events, for example a stream of stored messages.
impl<S> From<S> for TurnEvents<S>
where
    S: Stream<Item = Result<Received, Error>>,
{
    fn from(messages: S) -> Self {
        Self::new(messages)
    }
}

impl Kind {
    fn event(self, text: &str) -> TurnEvent {
        match self {
            Self::Text => TurnEvent::Text(text.to_owned()),
            Self::Thinking => TurnEvent::Thinking(text.to_owned()),
        }
    }
}

impl<S> Stream for TurnEvents<S>
where
    S: Stream<Item = Result<Received, Error>> + Unpin,
{
    type Item = Result<TurnEvent, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Poll::Ready(Some(Ok(event)));
            }
            match ready!(Pin::new(&mut self.messages).poll_next(cx)) {
                None => return Poll::Ready(None),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                Some(Ok(Received::Unreadable(line))) => {
                    return Poll::Ready(Some(Ok(TurnEvent::Unreadable(line))));
                }
                Some(Ok(Received::Message(message))) => self.convert(message),
            }
        }
    }
}

impl<S: Unpin> Unpin for TurnEvents<S> {}
