//! What SIGTERM alone does to the real CLI and its shells.

use super::kills::Doing::{self, Background, Shell};
use super::kills::{Busy, busy};
use super::leftovers::mark;
use super::shells::none_left_soon;
use crate::agent::soon;
use crate::proc::marked;

/// claw sends SIGTERM and nothing else: it may not touch what the CLI started, and the CLI was not
/// ended by a signal. So the shells were ended by the CLI's own hand.
async fn ends_its_shells_itself(doing: Doing) {
    let Busy {
        api,
        cli,
        session,
        turn,
        folder: _folder,
    } = busy(doing, true).await;
    assert!(marked(&mark(&cli)).len() > 1);
    let exited = session.process().exited();
    drop((session, turn));
    let exit = soon(exited).await;
    assert!(exit.is_forced(), "{exit}");
    assert_eq!((exit.code(), exit.signal()), (Some(143), None), "{doing:?}");
    none_left_soon(&cli).await;
    drop(api);
}

#[tokio::test]
async fn a_dropped_one_ends_its_shells_by_its_own_hand() {
    // One after another: each has 8 s to obey, whatever else the machine does.
    for doing in [Shell, Background] {
        ends_its_shells_itself(doing).await;
    }
}
