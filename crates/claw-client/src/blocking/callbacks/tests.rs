use std::sync::mpsc;

use futures::executor::block_on;

use super::*;

#[test]
fn more_closures_than_may_be_at_work_are_refused() {
    let threads = Threads::default();
    let (open, gate) = mpsc::channel::<()>();
    let gate = Arc::new(std::sync::Mutex::new(gate));
    let at_work: Vec<_> = (0..MOST)
        .map(|n| {
            let gate = gate.clone();
            threads.spawn(move || {
                let opened = gate.lock().unwrap().recv();
                opened.map(|()| n).map_err(|error| error.to_string())
            })
        })
        .collect();
    let refused = block_on(threads.spawn(|| Ok(()))).unwrap_err();
    assert!(refused.contains("too many"), "{refused}");
    for _ in 0..MOST {
        open.send(()).unwrap();
    }
    for (n, work) in at_work.into_iter().enumerate() {
        assert_eq!(block_on(work), Ok(n));
    }
    // There is room again.
    assert_eq!(block_on(threads.spawn(|| Ok(4))), Ok(4));
}
