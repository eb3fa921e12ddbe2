//! `ShowOnboardingRolePicker` and `OfferChromeSetup`: questions to new users.

/// The input of the `ShowOnboardingRolePicker` tool, which has no fields.
#[wire]
pub struct ShowOnboardingRolePickerInput {}

/// The output of the `ShowOnboardingRolePicker` tool: the user's professional role.
#[wire]
pub struct ShowOnboardingRolePickerOutput {
    /// The role that the user chose.
    pub role: Option<String>,
    /// Whether the user closed the picker without choosing.
    pub dismissed: Option<bool>,
}

/// The input of the `OfferChromeSetup` tool.
#[wire]
pub struct OfferChromeSetupInput {
    /// The reason why the user's own browser is needed, in a few words.
    pub reason: Option<String>,
}

/// The output of the `OfferChromeSetup` tool.
#[wire]
pub struct OfferChromeSetupOutput {
    /// The outcome of the offer.
    pub outcome: ChromeSetupOutcome,
}

/// The outcome of the offer to connect a browser.
#[wire(open)]
pub enum ChromeSetupOutcome {
    /// The browser is connected.
    Connected = "connected",
    /// The user declined for now.
    NotNow = "not_now",
    /// The user has not tried to connect yet.
    NoAttemptYet = "no_attempt_yet",
}

#[cfg(test)]
mod tests;
