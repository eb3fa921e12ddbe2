//! `update_environment_variables`: new values for `claude`'s own environment variables.

use crate::{Map, RequestId};

/// To `claude`: set environment variables of the `claude` process. `claude` ignores variables that are not on its list
/// of allowed variables. If this message has a `request_id`, `claude` responds with the names of the variables that it
/// set.
#[wire(tag(type = "update_environment_variables"))]
pub struct UpdateEnvironmentVariables {
    /// The names and values of the variables.
    #[wire(secret)]
    pub variables: Map<String>,
    /// The ID of the request. If the ID is present, `claude` responds with a
    /// [`ControlResponse`](super::ControlResponse) that contains the names of the variables that it set.
    pub request_id: Option<RequestId>,
}
