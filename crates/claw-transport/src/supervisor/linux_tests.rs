use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::Command;

use super::*;

fn entry(pid: i32, parent: i32) -> Entry {
    Entry {
        pid: Pid::from_raw(pid).unwrap(),
        parent,
        group: pid,
        start: 1,
        zombie: false,
    }
}

#[test]
fn a_process_is_read_whatever_its_name() {
    let stat = "7 (a) b (c) S 3 6 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4711 1 1";
    let entry = Entry::parse(Pid::from_raw(7).unwrap(), stat).unwrap();
    assert_eq!((entry.parent, entry.group, entry.start), (3, 6, 4711));
    assert!(!entry.zombie);
    assert!(Entry::parse(entry.pid, "7 (cut").is_none());
}

#[test]
fn this_process_is_found_again_until_its_start_time_differs() {
    let me = Entry::read(getpid()).unwrap();
    assert!(me.reread().is_some());
    assert!(
        Entry {
            start: me.start + 1,
            ..me
        }
        .reread()
        .is_none()
    );
}

#[test]
fn a_mark_is_one_whole_id_of_the_variable() {
    let environ = b"A=1\0CLAW_SESSION=outer:inner\0XCLAW_SESSION=other\0";
    let marked = |mark: &str| has_mark(environ, &[mark.to_owned()]);
    assert!(marked("outer") && marked("inner"));
    assert!(!marked("out") && !marked("other") && !marked("outer:inner"));
    assert!(!has_mark(environ, &[]) && !has_mark(b"", &["outer".to_owned()]));
}

#[test]
fn a_family_is_found_at_any_depth_and_nobody_else() {
    let member = |pid, parent, group| Entry {
        group,
        ..entry(pid, parent)
    };
    let all = [
        entry(2, 1),
        entry(3, 2),
        entry(4, 3),
        entry(5, 1),
        entry(6, 2),
        entry(8, 9),
        entry(9, 8),
        // A process of the group whose parent has ended, and a child of this process.
        member(10, 1, 2),
        entry(11, 10),
        // A child of the root that is also in its group is found only once.
        member(12, 2, 2),
    ];
    let mut pids: Vec<i32> = process_tree(&all, Pid::from_raw(2).unwrap())
        .iter()
        .map(|e| e.pid.as_raw_pid())
        .collect();
    pids.sort_unstable();
    assert_eq!(pids, [3, 4, 6, 10, 11, 12]);
}

#[test]
fn the_family_of_a_number_that_is_anothers_by_now_is_left_alone() {
    let mut other = Command::new("sleep")
        .arg("1000")
        .process_group(0)
        .spawn()
        .unwrap();
    let now = Entry::read(Pid::from_child(&other)).unwrap();
    let mut member = Command::new("sleep")
        .arg("1000")
        .process_group(now.pid.as_raw_pid())
        .spawn()
        .unwrap();
    let gone = Entry {
        start: now.start - 1,
        ..now
    };
    Sweep::default().kill_tree(&Root(Some(gone)));
    assert!(!now.reread().unwrap().zombie);
    assert_eq!(member.try_wait().unwrap(), None);
    // With the correct start time, both processes are killed.
    Sweep::default().kill_tree(&Root(Some(now)));
    assert_eq!(member.wait().unwrap().signal(), Some(9));
    assert_eq!(other.wait().unwrap().signal(), Some(9));
}
