use super::*;

fn entry(pid: i32, parent: i32) -> Entry {
    Entry {
        pid: Pid::from_raw(pid).unwrap(),
        parent,
        start: 1,
        zombie: false,
    }
}

#[test]
fn a_process_is_read_whatever_its_name() {
    let stat = "7 (a) b (c) S 3 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4711 1 1";
    let entry = Entry::parse(Pid::from_raw(7).unwrap(), stat).unwrap();
    assert_eq!((entry.parent, entry.start, entry.zombie), (3, 4711, false));
    assert!(Entry::parse(entry.pid, "7 (cut").is_none());
}

#[test]
fn this_process_is_found_again_until_its_start_time_differs() {
    let me = Entry::read(getpid()).unwrap();
    assert!(me.again().is_some());
    assert!(
        Entry {
            start: me.start + 1,
            ..me
        }
        .again()
        .is_none()
    );
}

#[test]
fn a_mark_is_one_whole_id_of_the_variable() {
    let environ = b"A=1\0CLAW_SESSION=outer:inner\0XCLAW_SESSION=other\0";
    let marked = |mark: &str| carries(environ, &[mark.to_owned()]);
    assert!(marked("outer") && marked("inner"));
    assert!(!marked("out") && !marked("other") && !marked("outer:inner"));
    assert!(!carries(environ, &[]) && !carries(b"", &["outer".to_owned()]));
}

#[test]
fn descendants_are_found_at_any_depth_and_nobody_else() {
    let all = [
        entry(2, 1),
        entry(3, 2),
        entry(4, 3),
        entry(5, 1),
        entry(6, 2),
        entry(8, 9),
        entry(9, 8),
    ];
    let mut pids: Vec<i32> = descendants(&all, Pid::from_raw(2).unwrap())
        .iter()
        .map(|e| e.pid.as_raw_pid())
        .collect();
    pids.sort_unstable();
    assert_eq!(pids, [3, 4, 6]);
}
