use super::*;
use tokio::time::advance;

const LIMIT: Duration = Duration::from_mins(1);

/// Advances the time to the clock's next wake, and then by `by`.
async fn late(clock: &mut Clock, by: Duration) {
    let wake = clock.wake_time(Some(LIMIT), None).unwrap();
    advance(wake.saturating_duration_since(Instant::now()) + by).await;
    clock.record_wake();
}

#[tokio::test(start_paused = true)]
async fn a_task_that_is_on_time_counts_all_time() {
    let mut clock = Clock::start();
    for second in 1..=60 {
        late(&mut clock, Duration::ZERO).await;
        assert_eq!(clock.now().as_secs(), second);
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_does_not_count_and_leaves_time_to_read() {
    let mut clock = Clock::start();
    for _ in 0..59 {
        late(&mut clock, Duration::ZERO).await;
    }
    // The host is stopped before the deadline. It continues an hour later, which is after the deadline.
    late(&mut clock, Duration::from_hours(1)).await;
    assert!(clock.now() < LIMIT);
    late(&mut clock, Duration::ZERO).await;
    assert_eq!(clock.now(), LIMIT);
}

#[tokio::test(start_paused = true)]
async fn deadlines_pass_even_if_the_task_is_always_late() {
    let mut clock = Clock::start();
    let mut wakes = 0;
    while clock.now() < LIMIT {
        late(&mut clock, 10 * STEP).await;
        wakes += 1;
    }
    assert!(wakes < 70, "{wakes}");
}

#[tokio::test(start_paused = true)]
async fn time_in_which_nothing_is_waited_for_is_no_stop() {
    let mut clock = Clock::start();
    assert_eq!(clock.wake_time(None, None), None);
    advance(LIMIT).await;
    assert_eq!((clock.record_wake(), clock.now()), (Duration::ZERO, LIMIT));
}

#[cfg(feature = "pool")]
#[tokio::test(start_paused = true)]
async fn a_limit_is_one_of_the_time_in_which_the_host_could_wait() {
    let begun = Instant::now();
    assert_eq!(timeout(LIMIT, std::future::pending::<()>()).await, None);
    assert_eq!(begun.elapsed().as_secs(), 60);

    let limited = tokio::spawn(timeout(LIMIT, async {
        tokio::time::sleep(LIMIT + STEP).await;
    }));
    tokio::task::yield_now().await;
    advance(LIMIT).await;
    assert_eq!(limited.await.unwrap(), Some(()));
}
