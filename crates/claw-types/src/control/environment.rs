//! `update_environment_variables`: other values for `claude`'s own environment.

use crate::{Map, RequestId};

/// To `claude`: other values for variables of its own environment. Only those on a list of its own
/// are taken; with a `request_id` it answers which.
#[wire(tag(type = "update_environment_variables"))]
pub struct UpdateEnvironmentVariables {
    /// Names and values.
    #[wire(secret)]
    pub variables: Map<String>,
    /// Asks for an answer, a [`ControlResponse`](super::ControlResponse) that names what was taken.
    pub request_id: Option<RequestId>,
}
