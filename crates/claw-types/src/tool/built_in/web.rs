//! `WebFetch` and `WebSearch`: read web pages and search the web.

use crate::by_shape::by_shape;
use crate::{Count, Number};

/// The input of the `WebFetch` tool.
#[wire]
pub struct WebFetchInput {
    /// The URL of the page.
    pub url: String,
    /// The question or task about the page. The CLI passes the prompt and the page to a small model.
    pub prompt: String,
    /// The number of characters at the start of the page's text that are skipped.
    pub offset: Option<Count>,
}

/// The output of the `WebFetch` tool.
#[wire(rename_all = "camelCase")]
pub struct WebFetchOutput {
    /// The size of the page, in bytes.
    pub bytes: Count,
    /// The HTTP status code.
    pub code: Count,
    /// The HTTP status text.
    pub code_text: String,
    /// The answer to the prompt, from the small model that read the page.
    pub result: String,
    /// The duration of the fetch, in milliseconds.
    pub duration_ms: Number,
    /// The URL of the page.
    pub url: String,
    /// The artifact. Present if the page is an artifact (a page that Claude Code published).
    pub artifact_read: Option<FetchedArtifact>,
}

/// An artifact that was fetched.
#[wire]
pub struct FetchedArtifact {
    /// The slug of the artifact.
    pub slug: String,
    /// The version of the artifact.
    pub ver: Option<String>,
    /// Whether a later publication of the artifact builds on this version.
    pub seeded: Option<bool>,
}

/// The input of the `WebSearch` tool.
#[wire]
pub struct WebSearchInput {
    /// The search query.
    pub query: String,
    /// The domains to which the results are limited.
    pub allowed_domains: Option<Vec<String>>,
    /// The domains from which no results are used.
    pub blocked_domains: Option<Vec<String>>,
}

/// The output of the `WebSearch` tool.
#[wire(rename_all = "camelCase")]
pub struct WebSearchOutput {
    /// The search query.
    pub query: String,
    /// The results in order: lists of pages, and a model's comments on them.
    pub results: Vec<WebSearchResult>,
    /// The duration of the search, in seconds.
    pub duration_seconds: Number,
    /// The number of searches that were made.
    pub search_count: Option<Count>,
}

by_shape! {
    /// A result of a web search: a list of pages, or a model's comment.
    WebSearchResult, "pages, or a text" {
        /// A list of pages.
        object Hits(WebSearchHits),
        /// A model's comment on the pages.
        text Comment(String),
    }
}

/// The pages that one search found.
#[wire]
pub struct WebSearchHits {
    /// The ID of the tool use by which the API searched the web.
    pub tool_use_id: String,
    /// The pages that were found.
    pub content: Vec<WebSearchHit>,
}

/// A page that a search found.
#[wire]
pub struct WebSearchHit {
    /// The title of the page.
    pub title: String,
    /// The URL of the page.
    pub url: String,
    /// An excerpt of the page, a few lines long.
    pub snippet: Option<String>,
}
