//! `ShowOnboardingRolePicker` and `OfferChromeSetup`: questions for people who are new.

use claw_types_derive::Wire;

use crate::Extra;
use crate::open_enum::open_enum;

/// What `ShowOnboardingRolePicker` is given: nothing.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ShowOnboardingRolePickerInput {
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// What `ShowOnboardingRolePicker` gives: what the person does for a living.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ShowOnboardingRolePickerOutput {
    /// The role that was chosen.
    pub role: Option<String>,
    /// Nothing was chosen.
    pub dismissed: Option<bool>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// What `OfferChromeSetup` is given.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OfferChromeSetupInput {
    /// What the person's own browser is needed for, in a few words.
    pub reason: Option<String>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// What `OfferChromeSetup` gives.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OfferChromeSetupOutput {
    /// What came of the offer.
    pub outcome: ChromeSetupOutcome,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

open_enum! {
    /// What came of the offer to connect a browser.
    ChromeSetupOutcome {
        /// It is connected.
        Connected = "connected",
        /// The person does not want to now.
        NotNow = "not_now",
        /// Nobody has tried yet.
        NoAttemptYet = "no_attempt_yet",
    }
}

#[cfg(test)]
mod tests;
