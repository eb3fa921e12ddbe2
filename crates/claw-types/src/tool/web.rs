//! `WebFetch` and `WebSearch`: read web pages and search the web.

use crate::by_shape::by_shape;
use crate::{Count, Number};

/// The input of the `WebFetch` tool.
#[wire]
pub struct WebFetchInput {
    /// The URL of the page.
    pub url: String,
    /// The prompt for the small model that reads the page.
    pub prompt: String,
    /// The offset in the page's text at which to start, in characters.
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
    /// The small model's answer about the page.
    pub result: String,
    /// The duration of the fetch, in milliseconds.
    pub duration_ms: Number,
    /// The URL of the page.
    pub url: String,
    /// The artifact, if the page is an artifact.
    pub artifact_read: Option<FetchedArtifact>,
}

/// An artifact that was fetched.
#[wire]
pub struct FetchedArtifact {
    /// The slug of the artifact.
    pub slug: String,
    /// The version of the artifact.
    pub ver: Option<String>,
    /// Whether this version of the artifact counts as seen. `false` means that it does not.
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
    /// The ID of the tool use with which the API made the search.
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
