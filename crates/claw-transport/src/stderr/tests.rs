use std::time::Duration;

use super::*;

fn collect() -> (Callback, mpsc::Receiver<String>) {
    let (sender, receiver) = mpsc::channel();
    (
        Arc::new(move |line: &str| drop(sender.send(line.to_owned()))),
        receiver,
    )
}

fn next(lines: &mpsc::Receiver<String>) -> String {
    lines.recv_timeout(Duration::from_mins(1)).unwrap()
}

#[test]
fn the_tail_is_bounded_and_starts_with_a_whole_line() {
    let mut stderr = Stderr::new(Mask::default(), None);
    for n in 0..20_000 {
        stderr.push(format!("line {n}\n").as_bytes());
    }
    let tail = stderr.tail();
    assert!(
        tail.len() <= TAIL && tail.len() > TAIL - 64,
        "{}",
        tail.len()
    );
    assert!(tail.starts_with("line ") && tail.ends_with("line 19999\n"));
}

#[test]
fn lines_are_cut_at_newlines_whatever_the_chunks() {
    let (callback, lines) = collect();
    let mut stderr = Stderr::new(Mask::default(), Some(callback));
    for chunk in ["on", "e\r\ntwo\n", "", "thr", "ee"] {
        stderr.push(chunk.as_bytes());
    }
    stderr.end();
    assert_eq!(
        [next(&lines), next(&lines), next(&lines)],
        ["one", "two", "three"]
    );
}

#[test]
fn an_endless_line_is_cut_once_and_the_next_one_arrives() {
    let (callback, lines) = collect();
    let mut stderr = Stderr::new(Mask::default(), Some(callback));
    for _ in 0..300 {
        stderr.push(&[b'x'; 1000]);
    }
    stderr.push(b"\nnext\n");
    assert_eq!(next(&lines), "x".repeat(TAIL));
    assert_eq!(next(&lines), "next");
}

#[test]
fn a_callback_that_panics_does_not_stop_the_others() {
    let mut panics = Stderr::new(
        Mask::default(),
        Some(Arc::new(|_: &str| panic!("on purpose"))),
    );
    panics.push(b"boom\n");
    let (callback, lines) = collect();
    Stderr::new(Mask::default(), Some(callback)).push(b"fine\n");
    assert_eq!(next(&lines), "fine");
}

#[test]
fn secrets_reach_neither_tail_nor_callback() {
    let (callback, lines) = collect();
    let mut stderr = Stderr::new(Mask::default(), Some(callback));
    stderr.push(b"key sk-ant-api03-abcdef\n");
    assert_eq!(stderr.tail(), "key sk-ant-***\n");
    assert_eq!(next(&lines), "key sk-ant-***");
}

#[test]
fn what_a_callback_does_not_keep_up_with_is_left_out_and_told() {
    let (release, wait) = mpsc::channel::<()>();
    let wait = std::sync::Mutex::new(wait);
    let (sender, lines) = mpsc::channel();
    let callback = move |line: &str| {
        sender.send(line.to_owned()).unwrap();
        let _ = wait.lock().unwrap().recv();
    };
    let mut stderr = Stderr::new(Mask::default(), Some(Arc::new(callback)));
    stderr.push(b"first\n");
    assert_eq!(next(&lines), "first");
    // Each byte that is not valid UTF-8 becomes a replacement character of three bytes.
    let long = [vec![0xFF; TAIL], b"\n".to_vec()].concat();
    let pushed = 1000;
    for _ in 0..pushed {
        stderr.push(&long);
    }
    drop(release);
    // When the last of these lines arrives, all other lines have been delivered or dropped.
    let (mut taken, mut bytes) = (0, 0);
    while bytes < WAITING {
        bytes += next(&lines).len() + OVERHEAD;
        taken += 1;
    }
    assert!(bytes < WAITING + 4 * TAIL, "{bytes} bytes waited");
    stderr.push(b"after\n");
    let left_out = format!("[claw: {} lines left out]", pushed - taken);
    assert_eq!([next(&lines), next(&lines)], [&left_out, "after"]);
}

/// Returns a mask and a secret that the mask knows. The secret is longer than any text that the mask would recognise by
/// its form.
fn known() -> (Mask, String) {
    let secret = "0123456789abcdef".repeat(8);
    let variable = ("API_KEY".into(), Some(secret.clone().into()));
    (Mask::of_environment(&[variable].into()), secret)
}

#[test]
fn a_secret_at_the_start_of_the_tail_is_not_shown_in_part() {
    for before in 0..secret_length() {
        let (mask, secret) = known();
        let mut stderr = Stderr::new(mask, None);
        // Only the line that contains the secret has arrived, and its first bytes were already removed from the tail.
        let filler = " x".repeat(TAIL / 2);
        stderr.push(secret.as_bytes());
        stderr.push(&filler.as_bytes()[..TAIL - before]);
        let tail = stderr.tail();
        assert!(!tail.contains("abcdef"), "{before}: {}", &tail[..200]);
        assert!(tail.len() <= TAIL && tail.len() > TAIL - 200);
    }
}

fn secret_length() -> usize {
    known().1.len()
}

#[test]
fn a_secret_behind_its_word_is_not_shown_where_the_tail_starts_between_them() {
    for secret in ["Bearer abc.def-ghi", "https://me:abc.def-ghi@host"] {
        for before in 0..secret.len() {
            let mut stderr = Stderr::new(Mask::default(), None);
            stderr.push(secret.as_bytes());
            stderr.push(&" x".repeat(TAIL / 2).as_bytes()[..TAIL - before]);
            let tail = stderr.tail();
            assert!(!tail.contains("ghi"), "{before}: {}", &tail[..40]);
        }
    }
}

#[test]
fn a_tail_that_is_the_end_of_one_endless_word_shows_nothing_of_it() {
    let mut stderr = Stderr::new(Mask::default(), None);
    stderr.push(&vec![b'x'; 3 * TAIL]);
    assert_eq!(stderr.tail(), "");
    stderr.push(b" and more");
    assert_eq!(stderr.tail(), "and more");
}

#[test]
fn a_secret_where_a_line_is_cut_is_not_shown_in_part() {
    let (_, secret) = known();
    for secret in [
        &*secret,
        "Bearer abc.def-ghi",
        "https://me:abc.def-ghi@host",
    ] {
        for shown in 0..secret.len() {
            let (callback, lines) = collect();
            let mut stderr = Stderr::new(known().0, Some(callback));
            stderr.push(" ".repeat(TAIL - shown).as_bytes());
            stderr.push(secret.as_bytes());
            stderr.push(b" and so on\n");
            let line = next(&lines);
            let end = line.trim_start();
            for part in ["0123456789", "abc"] {
                assert!(!end.contains(part), "{shown}: {end}");
            }
        }
    }
}
