//! `WebFetch` and `WebSearch`: read the web.

use crate::by_shape::by_shape;
use crate::{Count, Number};

/// What `WebFetch` is given.
#[wire]
pub struct WebFetchInput {
    /// The page.
    pub url: String,
    /// What a small model is asked about it.
    pub prompt: String,
    /// Where in the page's text to begin, in characters.
    pub offset: Option<Count>,
}

/// What `WebFetch` gives.
#[wire(rename_all = "camelCase")]
pub struct WebFetchOutput {
    /// How long the page is, in bytes.
    pub bytes: Count,
    /// The HTTP status.
    pub code: Count,
    /// The HTTP status, in words.
    pub code_text: String,
    /// What the small model says.
    pub result: String,
    /// How long it took, in milliseconds.
    pub duration_ms: Number,
    /// The page.
    pub url: String,
    /// The artifact that the page is.
    pub artifact_read: Option<FetchedArtifact>,
}

/// An artifact that was fetched.
#[wire]
pub struct FetchedArtifact {
    /// The artifact.
    pub slug: String,
    /// The version.
    pub ver: Option<String>,
    /// `false`: that version does not count as seen.
    pub seeded: Option<bool>,
}

/// What `WebSearch` is given.
#[wire]
pub struct WebSearchInput {
    /// What is looked for.
    pub query: String,
    /// Only these sites.
    pub allowed_domains: Option<Vec<String>>,
    /// None of these sites.
    pub blocked_domains: Option<Vec<String>>,
}

/// What `WebSearch` gives.
#[wire(rename_all = "camelCase")]
pub struct WebSearchOutput {
    /// What was looked for.
    pub query: String,
    /// Pages, and what a model says of them, in order.
    pub results: Vec<WebSearchResult>,
    /// How long it took, in seconds.
    pub duration_seconds: Number,
    /// How many searches it took.
    pub search_count: Option<Count>,
}

by_shape! {
    /// What came out of a search: pages, or what a model says.
    WebSearchResult, "pages, or a text" {
        /// Pages.
        object Hits(WebSearchHits),
        /// What a model says.
        text Comment(String),
    }
}

/// Pages that a search found.
#[wire]
pub struct WebSearchHits {
    /// The search, as the API names it.
    pub tool_use_id: String,
    /// The pages.
    pub content: Vec<WebSearchHit>,
}

/// A page that a search found.
#[wire]
pub struct WebSearchHit {
    /// Its title.
    pub title: String,
    /// Where it is.
    pub url: String,
    /// What stands there, a few lines.
    pub snippet: Option<String>,
}
