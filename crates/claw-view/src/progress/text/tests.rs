use super::{in_output, in_prose, plain};
use crate::progress::Progress;

type Numbers = (Option<u64>, Option<u64>, Option<f64>);

fn numbers(progress: &Progress) -> Numbers {
    (progress.completed, progress.total, progress.percentage)
}

#[expect(clippy::unnecessary_wraps, reason = "as a row of a table wants it")]
const fn count(done: u64, total: u64, percentage: f64) -> Option<Numbers> {
    Some((Some(done), Some(total), Some(percentage)))
}

#[expect(clippy::unnecessary_wraps, reason = "as a row of a table wants it")]
const fn percent(percentage: f64) -> Option<Numbers> {
    Some((None, None, Some(percentage)))
}

fn check(read: fn(&str) -> Option<Progress>, rows: &[(&str, Option<Numbers>)]) {
    let wrong: Vec<_> = rows
        .iter()
        .filter_map(|(text, expected)| {
            let found = read(text).as_ref().map(numbers);
            (found != *expected).then(|| format!("{text:?}: {found:?}, not {expected:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn counts_that_programs_print() {
    check(
        in_output,
        &[
            ("[12 / 345] Compiling foo.cc", count(12, 345, 3.5)),
            (
                "[1,234 / 5,678] 12 actions running",
                count(1234, 5678, 21.7),
            ),
            ("[3/12] (25%) linking", count(3, 12, 25.0)),
            (
                " 3/12 Test  #3: parse ........   Passed    0.01 sec",
                count(3, 12, 25.0),
            ),
            ("Epoch 3/10", count(3, 10, 30.0)),
            (
                "Epoch [3/10], Step [45/100], Loss: 0.1234",
                count(3, 10, 30.0),
            ),
            (
                "45/100 [============>.................] - ETA: 3s - loss: 0.45",
                count(45, 100, 45.0),
            ),
            (
                " 45%|████▌     | 45/100 [00:12<00:15,  3.60it/s]",
                count(45, 100, 45.0),
            ),
            (
                "Receiving objects:  45% (450/1000), 1.20 MiB | 3.10 MiB/s",
                count(450, 1000, 45.0),
            ),
            (
                "remote: Counting objects: 100% (12/12), done.",
                count(12, 12, 100.0),
            ),
            ("..............F....  63 / 120 ( 52%)", count(63, 120, 52.0)),
            ("Tests  3 failed | 9 passed (12)", count(12, 12, 100.0)),
            (
                " Test Files  1 passed (3)\n      Tests  5 passed (12)",
                count(1, 3, 33.3),
            ),
            (
                "Passed!  - Failed:     0, Passed:    12, Skipped:     0, Total:    12",
                count(12, 12, 100.0),
            ),
            ("(3/12) installing libfoo", count(3, 12, 25.0)),
            ("   Generating static pages (3/12)", count(3, 12, 25.0)),
            ("Processed 3 out of 12 entries", count(3, 12, 25.0)),
            ("INFO step=3/12 loss=0.3", count(3, 12, 25.0)),
            ("Indexing documents... 300/1200", count(300, 1200, 25.0)),
            (
                "Chrome 120.0: Executed 12 of 40 (3 FAILED)",
                count(12, 40, 30.0),
            ),
            ("12/40 tests", count(12, 40, 30.0)),
            ("Overall progress: 3 / 12", count(3, 12, 25.0)),
            ("Working: 1/3\u{8}\u{8}\u{8}2/3", count(2, 3, 66.7)),
            ("Rebasing (3/7)\rRebasing (4/7)", count(4, 7, 57.1)),
        ],
    );
}

#[test]
fn percentages_that_programs_print() {
    check(
        in_output,
        &[
            (
                "     ━━━━━━━━━━━━ 3.0/12.0 MB 5.1 MB/s eta 0:00:02",
                percent(25.0),
            ),
            (
                "file.iso   45%[=======>        ] 450.00M  12.3MB/s    eta 45s",
                percent(45.0),
            ),
            ("     50K .......... .......... 45% 1.20M 3s", percent(45.0)),
            ("      1,234,567  45%    1.20MB/s    0:00:12", percent(45.0)),
            (
                "      1,234,567  45%    1.20MB/s    0:00:12 (xfr#5, to-chk=12/40)",
                percent(45.0),
            ),
            (
                "data.bin      45%   12MB   1.2MB/s   00:12 ETA",
                percent(45.0),
            ),
            (
                " 45 10.0M   45 4608k    0     0  1200k      0  0:00:08  0:00:03  0:00:05 1201k",
                percent(45.0),
            ),
            (
                "######################                       45.0%",
                percent(45.0),
            ),
            ("<=====--------> 45% EXECUTING [3s]", percent(45.0)),
            ("Progress: [ 45%]", percent(45.0)),
            ("45% building 12/40 modules", percent(45.0)),
            ("Progress (1): 12/48 kB", percent(25.0)),
            ("<-------------> 0% CONFIGURING [1s]", percent(0.0)),
            ("Copying 12.5 MB of 50 MB", percent(25.0)),
            ("migrating... 45%", percent(45.0)),
            ("[00:10] 45.12%  3 files 12 MiB", percent(45.12)),
            ("45%", percent(45.0)),
            ("progress=45% rate=3", percent(45.0)),
            ("Unpacking: 45 percent complete", percent(45.0)),
        ],
    );
}

#[test]
fn what_programs_print_besides() {
    let rows = [
        "Filesystem      Size  Used Avail Use% Mounted on\n/dev/sda1        50G   45G  5.0G  91% /",
        "11/21 10:30:00 Starting server",
        "10 packets transmitted, 10 received, 0% packet loss",
        "  adding: a.txt (deflated 45%)",
        "similarity index 95%",
        " rename src/{a => b}/c.rs (95%)",
        "Retry 2/5 in 3s",
        "Showing 10 of 45 results",
        "inet 10.0.0.4/24 brd 10.0.0.255",
        "HTTP/1.1 200 OK",
        "-const done = 3/7;\n+const done = 4/7;",
        "diff --git a/x b/x\n@@ -1,2 +1,2 @@\n [3/12] Compiling\n",
        "    println!(\"[{}/12] Compiling\", 3); // 3 of 12 done",
        "# Running test 5 of 20",
        "let share = 3/7;",
        "src/lib.rs:12: // Running test 5 of 20",
        "echo '3/12 done'",
        "assert_eq!(a[1/2], 3);",
        "Coverage: 85% (170/200)",
        "3/7 tests failed",
        "2 of 12 checks failed",
        "100% tests passed, 0 tests failed out of 12",
        "load average: 0.45, 0.30, 0.20",
        "Mem:  45% used",
        "Python 3.11/3.12",
        "2026/11/21 10:00:00 listening",
        "12 passed in 3.4s",
        "lines 1-50 of 200",
        "⎯⎯⎯⎯⎯⎯⎯⎯[1/3]⎯",
        "width: 45%;",
        "3/12 (25%) remaining",
        "Rate limit: 45/60 requests remaining",
        "cache: 12/40 hits",
        "Compression ratio: 3/7",
    ];
    check(in_output, &rows.map(|text| (text, None)));
}

#[test]
fn what_the_model_says() {
    let unknown = Some((None, None, None));
    check(
        in_prose,
        &[
            (
                "I've completed three of the seven tasks.",
                count(3, 7, 42.9),
            ),
            ("Migrating table 3 of 12 now.", count(3, 12, 25.0)),
            ("The build is at 45%.", percent(45.0)),
            ("We're 45% of the way there.", percent(45.0)),
            ("**Progress:** 12/40 files converted.", count(12, 40, 30.0)),
            ("Moving on to step 3.", Some((Some(3), None, None))),
            ("Step 3 is done.", Some((Some(3), None, None))),
            ("**Step 2/5: add the tests**", count(2, 5, 40.0)),
            (
                "1. [x] Read\n2. [x] Write\n3. [ ] Test\n4. [ ] Ship",
                count(2, 4, 50.0),
            ),
            ("The Explore agent is searching the code base.", unknown),
            (
                "I've launched two subagents to look at both sides.",
                unknown,
            ),
        ],
    );
}

#[test]
fn a_count_that_goes_on_is_at_its_last_number() {
    let rows = [
        ("Running test 14 of 20… 15 of 20…", count(15, 20, 75.0)),
        ("Running test 14 of 20... 15 of 20...", count(15, 20, 75.0)),
        (
            "Running test 14 of 20, then 15 of 20, now 16 of 20.",
            count(16, 20, 80.0),
        ),
        (
            "Running test 14 of 20. 15 of 20. 16 of 20.",
            count(16, 20, 80.0),
        ),
        ("Running test 14 of 20\n15 of 20", count(15, 20, 75.0)),
        (
            "Running test 14 of 20… running test 15 of 20…",
            count(15, 20, 75.0),
        ),
        (
            "Running test 14 of 20… 15 of 20 failed.",
            count(14, 20, 70.0),
        ),
        ("Running test 14 of 20, 15 of 30.", count(14, 20, 70.0)),
        ("Running test 14 of 20. 3 of 20.", count(14, 20, 70.0)),
    ];
    check(in_prose, &rows);
    check(
        in_output,
        &[("Test 14 of 20... 15 of 20...", count(15, 20, 75.0))],
    );
}

#[test]
fn an_agent_that_the_model_starts_is_mentioned() {
    let rows = [
        (
            "I'll use the code-reviewer sub-agent.",
            Some("code-reviewer"),
        ),
        (
            "I’ll use the code-reviewer subagent to check the change.",
            Some("code-reviewer"),
        ),
        ("Now I'll launch the Explore agent.", Some("Explore")),
        (
            "Let me launch the docs-writer agent for that.",
            Some("docs-writer"),
        ),
        (
            "I'm going to ask the `api-checker` agent.",
            Some("api-checker"),
        ),
        ("Spawning subagent code-reviewer", Some("code-reviewer")),
        (
            "Spawning subagent `code-reviewer` to check.",
            Some("code-reviewer"),
        ),
        ("Launch the docs-writer agent.", Some("docs-writer")),
        ("launch the docs-writer agent", Some("docs-writer")),
        ("I'll start a sub-agent.", None),
    ];
    for (text, name) in rows {
        let found = in_prose(text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(numbers(&found), (None, None, None), "{text}");
        let worker = found.worker.unwrap_or_else(|| panic!("{text}"));
        assert_eq!(worker.agent_type.as_deref(), name, "{text}");
    }
    let rows = [
        "I won't use the code-reviewer sub-agent.",
        "I can use the code-reviewer sub-agent.",
        "I'll use the code-reviewer sub-agent if the tests fail.",
        "Once it builds, I'll launch the docs-writer agent.",
        "Shall I launch the docs-writer agent?",
        "Should I use the docs-writer agent?",
        "I'll use the user agent string.",
        "I'll use the agent framework.",
        "Use the Explore agent to search.",
        "You could launch the docs-writer agent.",
        "I'll explain how to launch the docs-writer agent.",
    ];
    check(in_prose, &rows.map(|text| (text, None)));
}

#[test]
fn what_the_model_says_besides() {
    let rows = [
        "Once 3 of 7 files are converted, I'll stop.",
        "I'll fix 3 of the 7 files first.",
        "The tests cover 45% of the code.",
        "Version 3/4 was skipped.",
        "Use `[3/12] Compiling` as the format.",
        "> 90% of requests succeed.",
        "About 3 of 10 developers use tabs.",
        "I can launch a subagent if you like.",
        "The agent framework supports tools.",
        "Step 1: read\nStep 2: write",
        "You would need to run step 3.",
        "```\n[3/12] Compiling\n```",
        "Half (50%) of requests time out.",
        "- [ ] one\n- [ ] two",
        "The user agent is set by the browser.",
        "There is a 3/7 chance.",
        "CPU is at 45%.",
        "It passes in 3 of 4 browsers.",
        "Next up is file 5 of 9.",
        "Chapter 3 of 9 describes it.",
        "About 1/3 of the tests passed before.",
        "Today (3/4) I fixed the bug.",
        "The agent is not finished.",
    ];
    check(in_prose, &rows.map(|text| (text, None)));
}

#[test]
fn steps_are_named() {
    let rows = [
        ("[2/4] Compiling sources", "Compiling sources"),
        ("    Building [==>          ] 1/5: lab-b", "Building"),
        ("Extracting layer 3/7", "Extracting layers"),
        ("Progress: 45%", "Progress"),
        ("Step 3/10 : RUN npm ci", "RUN npm ci"),
    ];
    for (text, step) in rows {
        assert_eq!(
            in_output(text).unwrap().step.as_deref(),
            Some(step),
            "{text:?}"
        );
    }
    let long = format!("[1/2] {}", "compile ".repeat(40));
    assert_eq!(in_output(&long).unwrap().step.unwrap().chars().count(), 80);
}

#[test]
fn a_terminal_s_codes_are_understood() {
    let rows = [
        ("plain", "plain"),
        ("\u{1b}[1m\u{1b}[96mBuilding\u{1b}[0m 1/5", "Building 1/5"),
        ("45%\u{8}\u{8}\u{8}50%", "50%"),
        ("a\n\u{8}b", "a\nb"),
        ("\u{1b}[1A\u{1b}[2Knew", "\rnew"),
        ("a\u{1b}[3Cb", "a b"),
        ("\u{1b}]0;title\u{7}text", "text"),
        ("\u{1b}]8;;https://example.com\u{1b}\\link", "link"),
        ("\u{1b}(Btext", "Btext"),
        ("cut off \u{1b}[3", "cut off "),
        ("cut off \u{1b}]0;", "cut off "),
        ("cut off \u{1b}", "cut off "),
    ];
    for (text, expected) in rows {
        assert_eq!(plain(text), expected, "{text:?}");
    }
}
