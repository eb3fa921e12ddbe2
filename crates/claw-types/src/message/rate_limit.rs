//! `rate_limit_event`: the state of a subscription's rate limits.

use std::time::{Duration, SystemTime};

use super::Identity;
use crate::{Map, Number};

/// Whether the API accepts requests.
#[wire(open)]
pub enum RateLimitStatus {
    /// Requests are accepted.
    Allowed = "allowed",
    /// Requests are accepted, but the limit is near.
    AllowedWarning = "allowed_warning",
    /// Requests are rejected.
    Rejected = "rejected",
}

/// The kind of rate limit: its period, and the models or the use that it covers.
#[wire(open)]
pub enum RateLimitType {
    /// The limit for a period of five hours.
    FiveHour = "five_hour",
    /// The limit for a period of seven days.
    SevenDay = "seven_day",
    /// The limit for Opus models for a period of seven days.
    SevenDayOpus = "seven_day_opus",
    /// The limit for Sonnet models for a period of seven days.
    SevenDaySonnet = "seven_day_sonnet",
    /// The limit for a period of seven days, including use beyond the plan (overage).
    SevenDayOverageIncluded = "seven_day_overage_included",
    /// The limit for use beyond the plan (overage).
    Overage = "overage",
}

/// The reason why requests beyond the limit (overage) are not possible.
#[wire(open)]
pub enum OverageDisabledReason {
    /// Use beyond the plan's limit (overage) was never set up.
    OverageNotProvisioned = "overage_not_provisioned",
    /// The organisation has turned off use beyond the plan's limit (overage).
    OrgLevelDisabled = "org_level_disabled",
    /// The organisation has turned off use beyond the plan's limit (overage) for a while.
    OrgLevelDisabledUntil = "org_level_disabled_until",
    /// No credits for use beyond the plan's limit (overage) are left.
    OutOfCredits = "out_of_credits",
    /// The tier of the user's seat does not allow use beyond the plan's limit (overage).
    SeatTierLevelDisabled = "seat_tier_level_disabled",
    /// Use beyond the plan's limit (overage) is turned off for this member of the organisation.
    MemberLevelDisabled = "member_level_disabled",
    /// The tier of the user's seat has no credits.
    SeatTierZeroCreditLimit = "seat_tier_zero_credit_limit",
    /// The user's group has no credits.
    GroupZeroCreditLimit = "group_zero_credit_limit",
    /// The user has no credits as a member of the organisation.
    MemberZeroCreditLimit = "member_zero_credit_limit",
    /// The organisation has turned off use beyond the plan's limit (overage) for this service.
    OrgServiceLevelDisabled = "org_service_level_disabled",
    /// Use beyond the plan's limit (overage) is disabled, because no limits for it are configured.
    NoLimitsConfigured = "no_limits_configured",
    /// The CLI could not retrieve the reason.
    FetchError = "fetch_error",
    /// The reason is not known.
    Unknown = "unknown",
}

/// The reason why the API rejected a request.
#[wire(open)]
pub enum RateLimitErrorCode {
    /// The request needs credits.
    CreditsRequired = "credits_required",
}

/// The owner of a spend limit: a service, a channel, or a group whose members share the limit.
#[wire(open)]
pub enum LimitScope {
    /// The limit belongs to a service. The official SDK does not say which services have limits.
    Service = "service",
    /// The limit belongs to a channel. The official SDK does not say what a channel is.
    Channel = "channel",
    /// The limit belongs to a group whose members share the limit.
    GroupPool = "group_pool",
}

/// The state of a subscription's rate limits: how much of them is used.
///
/// The CLI sends this message when the usage changes, but only if the user has logged in with a
/// subscription, not with an API key.
#[wire(tag(type = "rate_limit_event"))]
pub struct RateLimitEvent {
    /// The state of the rate limits.
    pub rate_limit_info: RateLimitInfo,
    fields: Identity!(),
}

/// The state of a subscription's rate limits.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(rename_all = "camelCase")]
pub struct RateLimitInfo {
    /// Whether the API accepts requests.
    pub status: RateLimitStatus,
    /// The time at which the limit is reset, in seconds since 1970.
    pub resets_at: Option<Number>,
    /// The kind of the limit that the fields of this object describe, such as `five_hour`.
    pub rate_limit_type: Option<RateLimitType>,
    /// The used share of the limit, from 0 to 1.
    pub utilization: Option<Number>,
    /// Whether the API accepts requests beyond the limit (overage).
    pub overage_status: Option<RateLimitStatus>,
    /// The time at which the overage limit is reset, in seconds since 1970.
    pub overage_resets_at: Option<Number>,
    /// The reason why requests beyond the limit (overage) are not possible.
    pub overage_disabled_reason: Option<OverageDisabledReason>,
    /// Whether the request that reported this state was served beyond the plan's limit (as overage).
    pub is_using_overage: Option<bool>,
    /// Whether requests are now served beyond the plan's limit (as overage).
    pub overage_in_use: Option<bool>,
    /// Whether use beyond the plan's limit (overage) is turned on.
    pub overage_enabled: Option<bool>,
    /// The threshold that the usage has passed, as a share of the limit from 0 to 1. If this field is present, the
    /// message is a warning that the threshold was passed.
    pub surpassed_threshold: Option<Number>,
    /// The owner of the spend limit that blocked the request. Absent if the limit is the user's own.
    pub limit_scope: Option<LimitScope>,
    /// The reason why the API rejected the request.
    pub error_code: Option<RateLimitErrorCode>,
    /// Whether the user may buy credits.
    pub can_user_purchase_credits: Option<bool>,
    /// Whether the account has a saved payment method that can be charged.
    pub has_chargeable_saved_payment_method: Option<bool>,
    /// The state of each limit. Each key is a kind of limit, as in [`RateLimitType`]. The other fields of
    /// [`RateLimitInfo`] describe only one of these limits. CLI 2.1.330 sends this field, although the official SDK's
    /// published types do not include it.
    pub unified_windows: Option<Map<RateLimitWindow>>,
}

impl RateLimitInfo {
    /// Returns the time at which the API accepts requests again. `None` if it accepts them now, and if that time is
    /// unknown.
    pub fn rejected_until(&self) -> Option<SystemTime> {
        let seconds = self.resets_at.as_ref().and_then(Number::as_u64);
        let seconds = seconds.filter(|_| self.status == RateLimitStatus::Rejected)?;
        SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
    }
}

/// The state of one rate limit.
#[wire(rename_all = "camelCase")]
pub struct RateLimitWindow {
    /// The used share of the limit, from 0 to 1.
    pub utilization: Option<Number>,
    /// The time at which the limit is reset, in seconds since 1970.
    pub resets_at: Option<Number>,
    /// Whether the API accepts requests under this limit.
    pub status: Option<RateLimitStatus>,
    /// The threshold that the usage has passed, as a share of the limit from 0 to 1.
    pub surpassed_threshold: Option<Number>,
}
