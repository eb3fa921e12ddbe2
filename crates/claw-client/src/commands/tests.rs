use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, mpsc};
use std::thread;

use claw_transport::Shutdown;
use tokio::sync::oneshot::{self, error::TryRecvError};

use super::*;

/// A driver that ends in the very moment in which somebody makes a call: the caller is told. On
/// tokio's channel he waited for ever, within some thousand rounds.
#[test]
fn whoever_asks_a_driver_that_ends_is_told() {
    const ROUNDS: u32 = 20_000;
    let (rounds, drivers) = mpsc::sync_channel::<(CommandReceiver, Arc<AtomicBool>, u32)>(1);
    let (ended, ends) = mpsc::channel();
    let driver = thread::spawn(move || {
        for (orders, begun, delay) in drivers {
            begun.store(true, SeqCst);
            (0..delay).for_each(|_| spin_loop());
            drop(orders);
            ended.send(()).unwrap();
        }
    });
    for round in 0..ROUNDS {
        let (commands, orders) = CommandSender::new();
        let begun = Arc::new(AtomicBool::new(false));
        let (done, mut closed) = oneshot::channel();
        rounds.send((orders, begun.clone(), round % 200)).unwrap();
        while !begun.load(SeqCst) {
            thread::yield_now();
        }
        let steps = Shutdown::default();
        let _ = commands.send(Command::Close { steps, done });
        ends.recv().unwrap();
        assert_eq!(
            closed.try_recv().err(),
            Some(TryRecvError::Closed),
            "round {round}"
        );
    }
    drop(rounds);
    driver.join().unwrap();
}
