//! Fallback credits: a lower price for a request that one model refused and that is retried with another model.

use crate::Tri;

/// Whether a fallback credit was redeemed. Such a credit lowers the price of a request that one model refused and that
/// is retried with another model.
#[wire]
pub struct FallbackCredit {
    /// Whether the credit was redeemed.
    pub status: FallbackCreditStatus,
}

/// The state of a fallback credit that a request presented: redeemed or not applied.
#[wire]
pub enum FallbackCreditStatus {
    /// The credit was redeemed: the answer costs as much as if the request had gone to the answering model from the
    /// beginning.
    Redeemed(Box<FallbackCreditRedeemed>),
    /// The credit was not applied: the answer has its ordinary price.
    NotApplied(Box<FallbackCreditNotApplied>),
}

/// The state of a fallback credit that was redeemed. The state has no further fields.
#[wire(tag(type = "redeemed"))]
pub struct FallbackCreditRedeemed {}

/// The state of a fallback credit that was not applied.
#[wire(tag(type = "not_applied"))]
pub struct FallbackCreditNotApplied {
    /// The reason why the credit was not applied.
    pub reason: FallbackCreditReason,
    /// The fields to remove from the request so that the credit can be redeemed. Sent only with the
    /// reason `variant_fields_present`.
    pub remove_to_redeem: Tri<Vec<String>>,
}

/// The reason why a fallback credit was not applied to a request that is retried with another model.
#[wire(open)]
pub enum FallbackCreditReason {
    /// The request differs from the refused request.
    BodyMismatch = "body_mismatch",
    /// The request continues an answer. The credit is not valid for a request of this kind.
    ContinuationExcluded = "continuation_excluded",
    /// The request does not continue an answer. The credit is valid only for a request that
    /// continues an answer.
    ContinuationOnly = "continuation_only",
    /// The credit has expired.
    Expired = "expired",
    /// The credit is not valid for the model with which the request is retried.
    InvalidTargetModel = "invalid_target_model",
    /// Fallback credits are not enabled for the organisation.
    NotEnabled = "not_enabled",
    /// The price of the answer cannot be changed.
    RepriceUnavailable = "reprice_unavailable",
    /// Fallback credits are temporarily unavailable.
    TemporarilyUnavailable = "temporarily_unavailable",
    /// The request has fields that the refused request did not have.
    VariantFieldsPresent = "variant_fields_present",
    /// The credit belongs to another organisation.
    WrongOrganization = "wrong_organization",
    /// The credit belongs to another platform.
    WrongPlatform = "wrong_platform",
    /// The credit belongs to another workspace.
    WrongWorkspace = "wrong_workspace",
}
