use serde_json::json;

use super::super::holds::holds;
use super::*;

#[test]
fn create() {
    let input = CronCreateInput::new("30 14 28 2 *", "Say hello")
        .recurring(false)
        .durable(true);
    holds(
        &input,
        &json!({"cron": "30 14 28 2 *", "prompt": "Say hello", "recurring": false, "durable": true}),
        &[],
    );
    let other = CronOneShot::new("b", "at noon", "Look again");
    let output = CronCreateOutput::new("a", "every hour", true)
        .durable(false)
        .next_fire_at(1_800_000_000_000_i64)
        .max_age_ms(604_800_000_i64)
        .other_one_shots(vec![other]);
    holds(
        &output,
        &json!({
            "id": "a", "humanSchedule": "every hour", "recurring": true, "durable": false,
            "nextFireAt": 1_800_000_000_000_i64, "maxAgeMs": 604_800_000_i64,
            "otherOneShots": [{"id": "b", "humanSchedule": "at noon", "prompt": "Look again"}]
        }),
        &[],
    );
}

#[test]
fn delete() {
    holds(&CronDeleteInput::new("a"), &json!({"id": "a"}), &[]);
    let output = CronDeleteOutput::new("a").ended_loop_wakeup(True);
    holds(&output, &json!({"id": "a", "endedLoopWakeup": true}), &[]);
}

#[test]
fn list() {
    holds(&CronListInput::new(), &json!({}), &[]);
    let job = CronJob::new("a", "0 * * * *", "every hour", "Say hello")
        .recurring(true)
        .durable(false)
        .next_fire_at(1_800_000_000_000.5);
    holds(
        &CronListOutput::new(vec![job]),
        &json!({"jobs": [{
            "id": "a", "cron": "0 * * * *", "humanSchedule": "every hour", "prompt": "Say hello",
            "recurring": true, "durable": false, "nextFireAt": 1_800_000_000_000.5
        }]}),
        &[],
    );
}
