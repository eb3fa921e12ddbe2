//! `rate_limit_event`: how much of a subscription's limits is used.

use super::Identity;
use crate::Number;

/// Whether requests are served.
#[wire(open)]
pub enum RateLimitStatus {
    /// They are.
    Allowed = "allowed",
    /// They are, but the limit is near.
    AllowedWarning = "allowed_warning",
    /// They are not.
    Rejected = "rejected",
}

/// Which limit it is.
#[wire(open)]
pub enum RateLimitType {
    /// Of five hours.
    FiveHour = "five_hour",
    /// Of seven days.
    SevenDay = "seven_day",
    /// Of seven days, for Opus.
    SevenDayOpus = "seven_day_opus",
    /// Of seven days, for Sonnet.
    SevenDaySonnet = "seven_day_sonnet",
    /// Of seven days, what goes beyond it included.
    SevenDayOverageIncluded = "seven_day_overage_included",
    /// What goes beyond.
    Overage = "overage",
}

/// Why nothing may go beyond the limit.
#[wire(open)]
pub enum OverageDisabledReason {
    /// Nobody has set it up.
    OverageNotProvisioned = "overage_not_provisioned",
    /// The organisation has it off.
    OrgLevelDisabled = "org_level_disabled",
    /// The organisation has it off for a while.
    OrgLevelDisabledUntil = "org_level_disabled_until",
    /// There are no credits left.
    OutOfCredits = "out_of_credits",
    /// The kind of seat has it off.
    SeatTierLevelDisabled = "seat_tier_level_disabled",
    /// The member has it off.
    MemberLevelDisabled = "member_level_disabled",
    /// The kind of seat has no credits.
    SeatTierZeroCreditLimit = "seat_tier_zero_credit_limit",
    /// The group has no credits.
    GroupZeroCreditLimit = "group_zero_credit_limit",
    /// The member has no credits.
    MemberZeroCreditLimit = "member_zero_credit_limit",
    /// The organisation has it off for this service.
    OrgServiceLevelDisabled = "org_service_level_disabled",
    /// There are no limits.
    NoLimitsConfigured = "no_limits_configured",
    /// It could not be found out.
    FetchError = "fetch_error",
    /// It is not known.
    Unknown = "unknown",
}

/// Why a request was refused.
#[wire(open)]
pub enum RateLimitErrorCode {
    /// It needs credits.
    CreditsRequired = "credits_required",
}

/// Whose limit it is.
#[wire(open)]
pub enum LimitScope {
    /// The service's.
    Service = "service",
    /// The channel's.
    Channel = "channel",
    /// That of a group, which shares it.
    GroupPool = "group_pool",
}

/// How much of a subscription's limits is used.
///
/// To hosts, when it changes; only with a subscription's login, not with an API key.
#[wire(tag(type = "rate_limit_event"))]
pub struct RateLimitEvent {
    /// How much.
    pub rate_limit_info: RateLimitInfo,
    fields: Identity!(),
}

/// How much of the limits is used.
#[wire(rename_all = "camelCase")]
pub struct RateLimitInfo {
    /// Whether requests are served.
    pub status: RateLimitStatus,
    /// When the limit counts from zero again, in seconds since 1970.
    pub resets_at: Option<Number>,
    /// Which limit it is.
    pub rate_limit_type: Option<RateLimitType>,
    /// How much of it is used, from 0 to 1.
    pub utilization: Option<Number>,
    /// Whether requests beyond the limit are served.
    pub overage_status: Option<RateLimitStatus>,
    /// When the limit of what goes beyond counts from zero again, in seconds since 1970.
    pub overage_resets_at: Option<Number>,
    /// Why nothing may go beyond.
    pub overage_disabled_reason: Option<OverageDisabledReason>,
    /// Whether this request went beyond.
    pub is_using_overage: Option<bool>,
    /// Whether requests go beyond now.
    pub overage_in_use: Option<bool>,
    /// Whether requests may go beyond.
    pub overage_enabled: Option<bool>,
    /// The share of the limit of which this is the warning, from 0 to 1.
    pub surpassed_threshold: Option<Number>,
    /// Whose limit it is.
    pub limit_scope: Option<LimitScope>,
    /// Why a request was refused.
    pub error_code: Option<RateLimitErrorCode>,
    /// Whether the user may buy credits.
    pub can_user_purchase_credits: Option<bool>,
    /// Whether a way to pay is on file.
    pub has_chargeable_saved_payment_method: Option<bool>,
}
