//! Any input, in any pieces, gives the same items, from the codecs and from the iterators.

use claw_codec::EXCERPT;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::property::{passes_on, same};
use crate::support::{chunks, lines, model, pieces, sync_lines, sync_pieces};

/// Part of an input; most of the time a line.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let ending = prop_oneof![
        4 => Just(&b"\n"[..]),
        2 => Just(&b"\r\n"[..]),
        1 => Just(&b"\r\r\n"[..]),
        1 => Just(&b""[..]),
    ];
    let content = prop_oneof![
        // Lines of the protocol.
        3 => any::<(u8, String)>()
            .prop_map(|(n, s)| serde_json::json!({"type": n, "text": s}).to_string().into_bytes()),
        1 => Just("{\"s\":\"\u{2028}\u{2029}\u{1f600}\\ud83d\"}".into()),
        1 => Just(b"{\"nul\":\"\0\"}".to_vec()),
        // Lines that are not.
        1 => Just(b"[SandboxDebug] stray text".to_vec()),
        1 => Just(b"{\"cut\":".to_vec()),
        1 => Just(b"\xEF\xBB\xBF{}".to_vec()),
        1 => Just(b" \t ".to_vec()),
        1 => Just(Vec::new()),
        1 => vec(any::<u8>(), 0..40),
        // Over the limit, or just not.
        2 => (0_usize..300).prop_map(|len| (b'a'..=b'z').cycle().take(len).collect()),
        // Bytes that mean something to the codec, in any order.
        2 => vec(prop::sample::select(&b"\n\r \t\xEF\xBB\xBF{}a"[..]), 0..12),
    ];
    (content, ending).prop_map(|(content, ending)| [&content[..], ending].concat())
}

fn input() -> impl Strategy<Value = Vec<u8>> {
    let start = prop_oneof![
        Just(&b""[..]),
        Just(&b"\xEF\xBB\xBF"[..]),
        Just(&b"\xEF\xBB"[..])
    ];
    (start, vec(piece(), 0..12)).prop_map(|(start, pieces)| [start, &pieces.concat()].concat())
}

fn sizes(max: usize) -> impl Strategy<Value = Vec<usize>> {
    prop_oneof![Just(vec![1]), vec(1..8_usize, 1..16), vec(1..=max, 1..16)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn any_chunking_of_any_input_gives_the_same_items(
        input in input(),
        sizes in sizes(400),
        limit in 0_usize..200,
    ) {
        same(limit, &sizes, &input);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Lines that outgrow the read buffer, and lines of which head and tail are cut.
    #[test]
    fn so_do_long_lines(
        lens in vec(prop_oneof![
            0..2 * EXCERPT,
            EXCERPT - 3..EXCERPT + 3,
            2 * EXCERPT - 3..2 * EXCERPT + 3,
            4 * EXCERPT..5 * EXCERPT,
        ], 1..6),
        crlf in any::<bool>(),
        sizes in vec(prop_oneof![1000..2000_usize, EXCERPT - 2..EXCERPT + 2, 1..4 * EXCERPT], 1..8),
        limit in prop_oneof![Just(0), 1000..4 * EXCERPT],
    ) {
        // A pattern whose length is prime: a shifted copy is seen.
        let pattern: Vec<u8> = (b' '..=b'~').chain(0x80..0x86).collect();
        let mut input = Vec::new();
        for len in lens {
            input.extend(pattern.iter().cycle().take(len));
            input.extend_from_slice(if crlf { b"\r\n" } else { b"\n" });
        }
        let reader = chunks(&input, &sizes);
        let expected = model(limit, &input);
        // Not prop_assert_eq: it would print them.
        prop_assert!(lines(limit, reader.clone()) == expected);
        prop_assert!(sync_lines(limit, reader.clone()) == expected);
        passes_on(&pieces(limit, reader.clone()), &expected, &input);
        passes_on(&sync_pieces(limit, reader), &expected, &input);
    }
}
