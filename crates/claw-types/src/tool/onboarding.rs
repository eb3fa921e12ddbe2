//! `ShowOnboardingRolePicker` and `OfferChromeSetup`: questions for people who are new.

/// What `ShowOnboardingRolePicker` is given: nothing.
#[wire]
pub struct ShowOnboardingRolePickerInput {}

/// What `ShowOnboardingRolePicker` gives: what the person does for a living.
#[wire]
pub struct ShowOnboardingRolePickerOutput {
    /// The role that was chosen.
    pub role: Option<String>,
    /// Nothing was chosen.
    pub dismissed: Option<bool>,
}

/// What `OfferChromeSetup` is given.
#[wire]
pub struct OfferChromeSetupInput {
    /// What the person's own browser is needed for, in a few words.
    pub reason: Option<String>,
}

/// What `OfferChromeSetup` gives.
#[wire]
pub struct OfferChromeSetupOutput {
    /// What came of the offer.
    pub outcome: ChromeSetupOutcome,
}

/// What came of the offer to connect a browser.
#[wire(open)]
pub enum ChromeSetupOutcome {
    /// It is connected.
    Connected = "connected",
    /// The person does not want to now.
    NotNow = "not_now",
    /// Nobody has tried yet.
    NoAttemptYet = "no_attempt_yet",
}

#[cfg(test)]
mod tests;
