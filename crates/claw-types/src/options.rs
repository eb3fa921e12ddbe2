//! What a query is run with: plain data, no callbacks. (Stub of the shape; being written.)
#![allow(missing_docs)]
use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct QueryOptions {
    pub model: Option<String>,
    pub cwd: Option<PathBuf>,
    pub permission_mode: Option<String>,
    pub allow_dangerously_skip_permissions: Option<bool>,
    pub allowed_tools: Option<Vec<String>>,
    pub disallowed_tools: Option<Vec<String>>,
    pub tools: Option<Vec<String>>,
    pub max_turns: Option<u32>,
    pub max_budget_usd: Option<f64>,
    pub include_partial_messages: Option<bool>,
    pub setting_sources: Option<Vec<String>>,
    pub additional_directories: Option<Vec<PathBuf>>,
    pub resume: Option<String>,
    pub continue_session: Option<bool>,
    pub session_id: Option<String>,
    pub env: Option<BTreeMap<String, Option<String>>>,
    pub path_to_claude_code_executable: Option<PathBuf>,
    pub extra_args: Option<BTreeMap<String, Option<String>>>,
}
