//! The Messages API's own objects, as they stand inside the protocol's messages: answers, content
//! blocks, stream events, usage.

mod content;
mod diagnostics;
mod fallback_credit;
mod iteration;
mod message;
mod source;
mod stream;
mod usage;

pub(crate) use content::text_of;
pub use content::{
    CacheControl, CompactionBlock, ContainerUploadBlock, Content, ContentBlock, DocumentBlock,
    ImageBlock, McpToolResultBlock, McpToolUseBlock, RedactedThinkingBlock, SearchResultBlock,
    ServerToolUseBlock, TextBlock, ThinkingBlock, ToolReferenceBlock, ToolResultBlock,
    ToolUseBlock, WebFetchToolResultBlock, WebSearchToolResultBlock,
};
pub use diagnostics::{CacheMiss, CacheMissKind, Diagnostics};
pub use fallback_credit::{
    FallbackCredit, FallbackCreditNotApplied, FallbackCreditReason, FallbackCreditRedeemed,
    FallbackCreditStatus,
};
pub use iteration::{
    AdvisorMessageIteration, CompactionIteration, FallbackMessageIteration, Iteration,
    MessageIteration,
};
pub use message::{
    ApiMessage, Container, ContextManagement, MessageParam, RefusalStopDetails, Role, StopDetails,
    StopReason,
};
pub use source::{Base64Source, ContentSource, FileSource, Source, TextSource, UrlSource};
pub use stream::{
    CitationsDelta, CompactionDelta, ContentBlockDelta, ContentBlockDeltaEvent,
    ContentBlockStartEvent, ContentBlockStopEvent, ErrorEvent, InputJsonDelta, MessageDelta,
    MessageDeltaEvent, MessageStartEvent, MessageStopEvent, PingEvent, SignatureDelta, StreamEvent,
    TextDelta, ThinkingDelta,
};
pub use usage::{CacheCreation, OutputTokensDetails, ServerToolUsage, ServiceTier, Speed, Usage};
