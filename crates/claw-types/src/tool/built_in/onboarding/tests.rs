use serde_json::json;

use super::super::holds::holds;
use super::*;

#[test]
fn the_role() {
    holds(&ShowOnboardingRolePickerInput::new(), &json!({}), &[]);
    let output = ShowOnboardingRolePickerOutput::new()
        .role("designer")
        .dismissed(false);
    holds(
        &output,
        &json!({"role": "designer", "dismissed": false}),
        &[],
    );
}

#[test]
fn the_browser() {
    let input = OfferChromeSetupInput::new().reason("to sign in");
    holds(&input, &json!({"reason": "to sign in"}), &[]);
    let output = OfferChromeSetupOutput::new(ChromeSetupOutcome::NoAttemptYet);
    holds(&output, &json!({"outcome": "no_attempt_yet"}), &[]);
}
