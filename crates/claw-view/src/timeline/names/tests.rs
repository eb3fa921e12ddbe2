use super::*;

/// A description, and a function that returns the amount of work for a given number of names.
type Row<'a> = (&'a str, &'a dyn Fn(usize) -> usize);

/// Assigns these names. After each assignment, frees the name `given_back`. Returns the number of lookups plus the
/// number of hashed bytes.
fn work(names: impl IntoIterator<Item = String>, given_back: &str) -> usize {
    let mut given = Names::default();
    for name in names {
        given.assign(name);
        given.free(given_back);
    }
    given.work.0 + given.work.1
}

/// For twice as many names, the work is at most about twice as large. This holds even if an attacker chooses the names.
#[test]
fn twice_as_many_names_take_twice_the_work() {
    let equal = |count: usize| work((0..count).map(|_| "toolu_1".to_owned()), "");
    let alternating = |count: usize| work((0..count).map(|n| format!("msg_{}.0", n % 2)), "");
    // Each name that could be formed by appending a number is already in use.
    let taken = |count: usize| {
        let others = (0..count / 2).map(|n| format!("t+{n}"));
        work(others.chain((0..count / 2).map(|_| "t".to_owned())), "")
    };
    let given_back = |count: usize| work((0..count).map(|_| "t".to_owned()), "t");
    let both = |count: usize| {
        let names = ["t", "t", "t+2", "t+2+2"].into_iter().cycle().take(count);
        work(names.map(str::to_owned), "t")
    };
    let rows: [Row<'_>; 5] = [
        ("equal", &equal),
        ("alternating", &alternating),
        ("taken", &taken),
        ("given back", &given_back),
        ("both", &both),
    ];
    for (what, work) in rows {
        for count in [500, 1_000, 2_000, 4_000] {
            let (once, twice) = (work(count), work(2 * count));
            // The work may be slightly more than twice as large, because longer numbers have more bytes.
            assert!(
                10 * twice <= 23 * once,
                "{what}: {once} for {count}, then {twice}"
            );
        }
    }
}

#[test]
fn a_name_that_is_taken_gets_a_number() {
    let mut names = Names::default();
    let mut give = |name: &str| names.assign(name.to_owned());
    assert_eq!([give("a"), give("a"), give("a")], ["a", "a+2", "a+3"]);
    assert_eq!(
        [give("a+4"), give("a"), give("a+2")],
        ["a+4", "a+5", "a+2+2"]
    );
    names.free("a");
    assert!(!names.has("a") && names.has("a+2"));
    assert_eq!(names.assign("a".to_owned()), "a");
    assert_eq!(names.assign("a".to_owned()), "a+6");
}
