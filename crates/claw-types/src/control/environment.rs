//! `update_environment_variables`: new values for `claude`'s own environment variables.

use crate::{Map, RequestId};

/// To `claude`: set environment variables of its own process. `claude` ignores variables that are
/// not on its list of allowed ones. If the line has a `request_id`, it responds with the names of
/// the applied variables.
#[wire(tag(type = "update_environment_variables"))]
pub struct UpdateEnvironmentVariables {
    /// The names and values of the variables.
    #[wire(secret)]
    pub variables: Map<String>,
    /// The ID of the request. If present, `claude` responds with a
    /// [`ControlResponse`](super::ControlResponse) that names the applied variables.
    pub request_id: Option<RequestId>,
}
