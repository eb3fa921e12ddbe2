use serde_json::json;

use super::super::holds::holds;
use super::*;

#[test]
fn a_loop() {
    let input = ScheduleWakeupInput::new()
        .delay_seconds(90)
        .reason("the build takes a minute")
        .prompt("/loop look at the build")
        .stop(false)
        .noop(true);
    holds(
        &input,
        &json!({
            "delaySeconds": 90, "reason": "the build takes a minute",
            "prompt": "/loop look at the build", "stop": false, "noop": true
        }),
        &[],
    );
    let output = ScheduleWakeupOutput::new(1_800_000_000_000_i64, 90.5, false)
        .stopped(true)
        .cancelled_wakeups(1);
    holds(
        &output,
        &json!({
            "scheduledFor": 1_800_000_000_000_i64, "clampedDelaySeconds": 90.5, "wasClamped": false,
            "stopped": true, "cancelledWakeups": 1
        }),
        &[],
    );
}
