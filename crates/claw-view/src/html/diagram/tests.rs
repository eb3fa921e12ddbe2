use proptest::prelude::*;

use super::*;

/// Returns the SVG of a diagram.
fn svg(source: &str) -> Option<String> {
    let picture = drawn(source)?;
    Some(Html::fragment(|html| html.picture(&picture)))
}

/// Returns the texts of a diagram's picture, in their order.
fn texts(source: &str) -> Vec<String> {
    let svg = svg(source).unwrap_or_else(|| panic!("stays code: {source}"));
    let parts = svg.split("<text").skip(1);
    parts
        .filter_map(|part| Some(part.split_once('>')?.1.split_once("</text>")?.0.to_owned()))
        .collect()
}

/// Returns a number of an element.
fn number(element: &str, name: &str) -> i32 {
    let (_, rest) = element.split_once(&format!(" {name}=\"")).unwrap();
    rest.split_once('"').unwrap().0.parse().unwrap()
}

/// Returns the left, upper, right and lower ends of the rectangles of a class.
fn areas(svg: &str, class: &str) -> Vec<[i32; 4]> {
    let start = format!("<rect class=\"{class}\"");
    svg.split(&start)
        .skip(1)
        .map(|it| {
            let (x, y) = (number(it, "x"), number(it, "y"));
            [x, y, x + number(it, "width"), y + number(it, "height")]
        })
        .collect()
}

fn overlap(a: &[i32; 4], b: &[i32; 4]) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

fn contains(outer: &[i32; 4], inner: &[i32; 4]) -> bool {
    outer[0] <= inner[0] && outer[1] <= inner[1] && outer[2] >= inner[2] && outer[3] >= inner[3]
}

#[test]
fn a_flowchart_has_all_texts_of_its_source() {
    let source = "%% A comment\nflowchart LR; A[Read] -->|a line| B(\"Is it (\"); B --> C{whole?}
        C -- yes --> D((Keep)) & E([Show])
        C -. no .-> F[[Wait<br/>a while]]:::soft
        F ==> my-node.1
        subgraph one[The group]
            direction TB
            G[(Store)] <--> H{{Six}}
        end
        D --o one
        E ~~~ G
        classDef soft fill:#fff
        class A soft
        style B fill:#000
        click A \"https://known.example\"
        linkStyle 0 stroke:red";
    let mut found = texts(source);
    found.sort_unstable();
    assert_eq!(
        found,
        [
            "Is it (",
            "Keep",
            "Read",
            "Show",
            "Six",
            "Store",
            "The group",
            "Wait",
            "a line",
            "a while",
            "my-node.1",
            "no",
            "whole?",
            "yes",
            "yes"
        ]
    );
    let svg = svg(source).unwrap();
    // Two arrows for `<-->`, one for each other edge but `--o` and `~~~`, which has no line.
    assert_eq!(svg.matches("<path class=\"tip\"").count(), 8);
    assert_eq!(svg.matches("<circle class=\"tip\"").count(), 1);
    assert_eq!(svg.matches("class=\"edge dotted\"").count(), 1);
    assert_eq!(svg.matches("class=\"edge thick\"").count(), 1);
}

#[test]
fn a_state_diagram_has_all_texts_of_its_source() {
    let source = "stateDiagram-v2\ndirection LR\n[*] --> Idle\nIdle --> Busy : start\nBusy --> Idle
        Busy --> Busy : tick\nstate \"Very busy\" as Busy {\n[*] --> Warm\nWarm --> [*]\n}
        state fork <<fork>>\nIdle --> fork\nIdle : Nothing to do\n";
    let mut found = texts(source);
    found.sort_unstable();
    assert_eq!(
        found,
        ["Nothing to do", "Very busy", "Warm", "start", "tick"]
    );
    let svg = svg(source).unwrap();
    // Two states to start at, one to end at, which has a ring, and a bar.
    assert_eq!(svg.matches("<circle class=\"tip\"").count(), 3);
    assert_eq!(svg.matches("<circle class=\"node\"").count(), 1);
    assert_eq!(areas(&svg, "tip").len(), 1);
    assert!(contains(&areas(&svg, "group")[0], &areas(&svg, "node")[1]));
}

#[test]
fn a_sequence_diagram_has_all_texts_of_its_source() {
    let source = "sequenceDiagram\nautonumber\nparticipant A as Ann\nactor web-x\nA->>+web-x: Hello\nNote over A,web-x: Both
        loop each day\nweb-x-->>-A: Hi\nelse\nA-)A: Think\nend\nrect rgb(0, 0, 0)\nA--xBob: No\nend\nNote right of Bob: Alone";
    let found = texts(source);
    let expected = [
        "Ann",
        "web-x",
        "Bob",
        "1. Hello",
        "Both",
        "2. Hi",
        "3. Think",
        "loop [each day]",
        "",
        "4. No",
        "Alone",
    ];
    assert_eq!(found, expected);
    let svg = svg(source).unwrap();
    assert_eq!(areas(&svg, "group").len(), 2);
    assert_eq!(areas(&svg, "active").len(), 1);
    // The order of the messages is that of their places.
    let rows: Vec<_> = svg
        .split("<text")
        .skip(4)
        .map(|it| number(it, "y"))
        .collect();
    assert!(
        rows[0] < rows[1] && rows[1] < rows[2] && rows[2] < rows[3],
        "{rows:?}"
    );
}

#[test]
fn what_is_not_known_stays_code() {
    for source in [
        "",
        "graph",
        "graph XY\nA-->B",
        "pie\n\"a\": 1",
        "classDiagram\nA <|-- B",
        "graph TD\nA --> ",
        "graph TD\nA[never closed",
        "graph TD\nA[\"never closed]",
        "graph TD\nA@{ shape: rect }",
        "graph TD\nA[one] B[two]",
        "graph TD\nA -- text B",
        "graph TD\nA -> B",
        "graph TD\nA --< B",
        "graph TD\nsubgraph one\nA",
        "graph TD\nA; subgraph one\nB\nend",
        "graph TD\nA[\"one\nsubgraph two\"]",
        "graph TD\nend",
        "graph TD\nsubgraph one\nA --> one\nend",
        "graph TD\nA-->A\nA-->A",
        "stateDiagram-v2\nA --> B\nnote right of A : text",
        "stateDiagram-v2\nA:::soft --> B",
        "stateDiagram-v2\nstate A {\nB\n--\nC\n}",
        "stateDiagram-v2\n}",
        "stateDiagram-v2\nA : one\nA : two",
        "sequenceDiagram",
        "sequenceDiagram\nA->>B",
        "sequenceDiagram\nend",
        "sequenceDiagram\nbox The team\nparticipant A\nend",
        "sequenceDiagram\nloop a\nA->>B: c",
        "sequenceDiagram\ncreate participant A",
        "sequenceDiagram\nA->>-B: not active",
        "sequenceDiagram\nA likes B: text",
        "sequenceDiagram\nlinks A: {}",
    ] {
        let is_empty_message = source.ends_with("A->>B");
        assert_eq!(svg(source).is_some(), is_empty_message, "{source}");
    }
}

#[test]
fn what_is_too_large_stays_code() {
    let chart = |lines: Vec<String>| svg(&format!("graph TD\n{}", lines.join("\n")));
    let chain = |nodes: usize| -> Vec<_> {
        (1..nodes)
            .map(|it| format!("n{} --> n{it}", it - 1))
            .collect()
    };
    assert!(chart(chain(120)).is_some());
    assert!(chart(chain(121)).is_none());
    // Each of these arrows crosses all layers between its ends.
    let fan = (0..100).map(|it| format!("n{it} --> n119"));
    assert!(chart(chain(120).into_iter().chain(fan).collect()).is_none());
    // The edges of a line are the product of its nodes: four million of them in 8 KiB. None of them is kept.
    let all = vec!["a"; 2_000].join("&");
    assert!(flowchart::read(&format!("graph TD\n{all}-->{all}")).is_none());
    let deep = |depth| {
        let begins = (0..depth).map(|it| format!("subgraph g{it}"));
        let ends = (0..depth).map(|_| "end".to_owned());
        begins.chain(["A".to_owned()]).chain(ends).collect()
    };
    assert!(chart(deep(6)).is_some());
    assert!(chart(deep(7)).is_none());
    let messages = |count| format!("sequenceDiagram\n{}", "A->>B: c\n".repeat(count));
    assert!(svg(&messages(300)).is_some());
    assert!(svg(&messages(301)).is_none());
    assert!(svg(&format!("graph TD\nA[{}]", "a".repeat(601))).is_none());
}

#[test]
fn markup_in_a_diagram_is_text() {
    assert_eq!(
        texts(
            "graph TD\nA[\"<script>alert(1)</script>\"] -->|<img src=x>| B[<b>bold</b>\\n#lt;i#gt; #35; #quot;]"
        ),
        [
            "&lt;script&gt;alert(1)&lt;/script&gt;",
            "bold",
            "&lt;i&gt; # &quot;",
            "&lt;img src=x&gt;"
        ]
    );
    assert_eq!(
        texts("sequenceDiagram\nA->>B: </text></svg><script>\u{202e}"),
        ["A", "B", "&lt;/text&gt;&lt;/svg&gt;&lt;script&gt;\\u{202e}"]
    );
}

#[test]
fn a_long_text_has_several_lines() {
    let words = "word ".repeat(30);
    let lines = texts(&format!("graph TD\nA[{words}]"));
    assert!(lines.len() > 3, "{lines:?}");
    assert_eq!(lines.join(" "), words.trim_end());
}

/// A flowchart: numbers of nodes for its edges, and for each node the group that contains it.
fn charts() -> impl Strategy<Value = (Vec<(u8, u8)>, Vec<u8>, &'static str)> {
    let edges = proptest::collection::vec((0..14_u8, 0..14_u8), 0..30);
    let groups = proptest::collection::vec(0..4_u8, 14);
    let directions = proptest::sample::select(vec!["TD", "BT", "LR", "RL"]);
    (edges, groups, directions)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn nodes_are_apart_and_in_their_groups((edges, groups, direction) in charts()) {
        let mut lines = vec![format!("graph {direction}")];
        for group in 0..4_usize {
            if group > 0 {
                lines.push(format!("subgraph g{group}"));
            }
            let inner = (0..14).filter(|node| usize::from(groups[*node]) == group);
            lines.extend(inner.map(|node| format!("n{node}")));
            if group > 0 {
                lines.push("end".to_owned());
            }
        }
        let edges: Vec<_> = edges.into_iter().filter(|(from, to)| from != to).collect();
        lines.extend(edges.iter().map(|(from, to)| format!("n{from} -->|{from} to {to}| n{to}")));
        let source = lines.join("\n");
        let svg = svg(&source).unwrap();
        let nodes = areas(&svg, "node");
        let frames = areas(&svg, "group");
        let names: Vec<usize> = svg
            .split("<text")
            .filter_map(|it| it.split_once(">n")?.1.split_once('<')?.0.parse().ok())
            .collect();
        prop_assert_eq!(nodes.len(), 14);
        let whole = [0, 0, number(&svg, "width") - 16, number(&svg, "height") - 16];
        for (index, node) in nodes.iter().enumerate() {
            prop_assert!(contains(&whole, node));
            prop_assert!(nodes[..index].iter().all(|other| !overlap(node, other)));
            for (group, frame) in frames.iter().enumerate() {
                if usize::from(groups[names[index]]) == group + 1 {
                    prop_assert!(contains(frame, node));
                } else {
                    prop_assert!(!overlap(frame, node));
                }
            }
        }
        prop_assert_eq!(svg.matches("<path class=\"tip\"").count(), edges.len());
        // Each arrowhead touches the border of a node.
        for tip in svg.split("<path class=\"tip\" d=\"M").skip(1) {
            let mut numbers = tip.split(' ').map(|it| it.parse::<i32>().unwrap_or(0));
            let (x, y) = (numbers.next().unwrap(), numbers.next().unwrap());
            let touches = |node: &[i32; 4]| contains(node, &[x, y, x, y]);
            prop_assert!(nodes.iter().any(touches), "{x} {y} {svg}");
        }
    }

    #[test]
    fn any_text_is_drawn_or_stays_code(
        kind in proptest::sample::select(vec!["graph TD", "flowchart LR", "stateDiagram-v2", "sequenceDiagram"]),
        parts in proptest::collection::vec(proptest::sample::select(vec![
            "A", "B", "c1", "é", "字", " ", "\n", "\n", ";", "-->", "---", "-.->", "==>", "->>", "--x", "-)", "|", "[", "]", "(", ")",
            "((", "))", "{", "}", "\"", ":", ":::", "&", "<br>", "<", ">", "#", "#35;", "%%", "subgraph ", "end", "state ", "[*]",
            "loop ", "else", "note over ", "participant ", " as ", "direction ", "LR", "~~~", "--", "\\n", "@", "+", "-", "`",
        ]), 0..60),
    ) {
        let source = format!("{kind}\n{}", parts.concat());
        if let Some(svg) = svg(&source) {
            prop_assert!(svg.starts_with("<svg width=") && svg.ends_with("</svg>"));
            prop_assert_eq!(svg.matches('<').count(), svg.matches('>').count());
        }
    }
}
