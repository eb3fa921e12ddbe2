use super::*;

fn blocks(text: &str, piece: usize) -> Vec<(String, String)> {
    let mut blocks = Blocks::default();
    let mut all = Vec::new();
    let mut own = |block: Block<'_>| all.push((block.repeated.to_owned(), block.text.to_owned()));
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.ceil_char_boundary(piece);
        blocks.push(&rest[..end], &mut own);
        rest = &rest[end..];
    }
    own(blocks.open());
    all
}

fn texts(text: &str) -> Vec<String> {
    blocks(text, 1).into_iter().map(|(_, text)| text).collect()
}

#[test]
fn paragraphs_are_blocks_of_their_own_and_a_list_is_one() {
    let text = "One.\nStill one.\n\nTwo:\n- a\n\n- b\n\n  more of b\n\nThree.\n";
    assert_eq!(
        texts(text),
        [
            "One.\nStill one.\n\n",
            "Two:\n- a\n\n- b\n\n  more of b\n\n",
            "Three.\n"
        ]
    );
}

#[test]
fn a_code_block_is_one_block_with_its_blank_lines() {
    let text = "Look:\n```rust\na\n\n# b\n~~~\n````\nAfter.\n~~~\n```\n~~~\n";
    assert_eq!(
        texts(text),
        [
            "Look:\n",
            "```rust\na\n\n# b\n~~~\n````\n",
            "After.\n",
            "~~~\n```\n~~~\n",
            ""
        ]
    );
    // Three backticks can also delimit a code span in a line. This does not begin a code block.
    assert_eq!(texts("```a```\n\nb"), ["```a```\n\nb"]);
    assert_eq!(texts("```a```\n\nb\n"), ["```a```\n\n", "b\n"]);
}

#[test]
fn no_block_is_longer_than_the_limit() {
    let hostile = [
        "a".repeat(100_000),
        "🦀".repeat(30_000),
        ">".repeat(100_000),
        "- a\n".repeat(30_000),
        "a\n".repeat(50_000),
        "`".repeat(100_000),
        format!("{}\n{}", "`".repeat(9_000), "x\n".repeat(50_000)),
    ];
    for text in hostile {
        let blocks = blocks(&text, 1_000);
        let whole: String = blocks.iter().map(|(_, text)| &**text).collect();
        assert!(whole == text);
        let lengths = blocks
            .iter()
            .map(|(repeated, text)| repeated.len() + text.len());
        assert!(lengths.max().unwrap() <= LONGEST + LONGEST_REPEATED);
        assert!(blocks.len() > 10 && blocks.len() < 40, "{}", blocks.len());
    }
}

#[test]
fn the_rest_of_a_long_code_block_is_code_and_that_of_a_table_has_its_head() {
    let code = format!("```rust\n{}", "let x = 1;\n".repeat(2_000));
    let table = format!("| a | b |\n|---|---|\n{}", "| 1 | 2 |\n".repeat(2_000));
    for (text, repeated) in [(code, "```rust\n"), (table, "| a | b |\n|---|---|\n")] {
        let blocks = blocks(&text, 7);
        assert!(blocks.len() > 2);
        assert_eq!(blocks[0].0, "");
        for (again, text) in &blocks[1..] {
            assert_eq!(again, repeated);
            assert!(
                text.starts_with("let x") || text.starts_with("| 1"),
                "{text}"
            );
        }
    }
}

#[test]
fn blocks_do_not_depend_on_the_pieces() {
    let text = "# T\n\n- a\n- b\n\n```x\n\n\n```\n\n| a |\n|---|\n| b |\n\nüber\n".repeat(300);
    let whole = blocks(&text, text.len());
    assert!(whole.len() > 1_000);
    for piece in [1, 2, 3, 5, 17, 1_000] {
        assert!(blocks(&text, piece) == whole, "{piece}");
    }
}
