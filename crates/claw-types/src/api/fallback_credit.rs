//! Credit for a request that was refused and is tried again with another model.

use crate::Tri;

/// What became of the credit that a request presented.
#[wire]
pub struct FallbackCredit {
    /// Whether it was taken.
    pub status: FallbackCreditStatus,
}

/// Whether credit was taken.
#[wire]
pub enum FallbackCreditStatus {
    /// It was: the answer costs as if the model that gave it had been asked from the beginning.
    Redeemed(Box<FallbackCreditRedeemed>),
    /// It was not: the answer has its ordinary price.
    NotApplied(Box<FallbackCreditNotApplied>),
}

/// Credit was taken.
#[wire(tag(type = "redeemed"))]
pub struct FallbackCreditRedeemed {}

/// Credit was not taken.
#[wire(tag(type = "not_applied"))]
pub struct FallbackCreditNotApplied {
    /// Why.
    pub reason: FallbackCreditReason,
    /// Fields of the request to leave out, so that it is taken. Only where the reason is
    /// `variant_fields_present`.
    pub remove_to_redeem: Tri<Vec<String>>,
}

/// Why credit was not taken.
#[wire(open)]
pub enum FallbackCreditReason {
    /// The request is not the one that was refused.
    BodyMismatch = "body_mismatch",
    /// It goes on with an answer, which this credit is not for.
    ContinuationExcluded = "continuation_excluded",
    /// It does not go on with an answer, which this credit is for.
    ContinuationOnly = "continuation_only",
    /// It came too late.
    Expired = "expired",
    /// It is not for this model.
    InvalidTargetModel = "invalid_target_model",
    /// The organisation does not have it.
    NotEnabled = "not_enabled",
    /// The price cannot be changed.
    RepriceUnavailable = "reprice_unavailable",
    /// It does not work at the moment.
    TemporarilyUnavailable = "temporarily_unavailable",
    /// The request has fields that the refused one had not.
    VariantFieldsPresent = "variant_fields_present",
    /// It is another organisation's.
    WrongOrganization = "wrong_organization",
    /// It is another platform's.
    WrongPlatform = "wrong_platform",
    /// It is another workspace's.
    WrongWorkspace = "wrong_workspace",
}
