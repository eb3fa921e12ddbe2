//! What the scripted agent of `reading.mjs` writes: URLs, Arabic, code, a wide table and diagrams.

use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};

/// The project of the agent.
const PROJECT: &str = "reading";

const TEXT: &str = "See https://docs.example/a_b?c=d&e=f#g, or (https://docs.example/clock_(wall)). Not \
    https://known.example@other.example/ nor `https://code.example` nor javascript://docs.example/%0aalert(1).\n\n\
    مرحبا، شغّل `cargo test (--all)` ثم انظر https://docs.example/ar إلى النتيجة.\n\n\
    - أولا\n- ثانيا\n\n\
    > اقتباس\n\n\
    ```sh\ncargo test --all # مرحبا\n```\n\n\
    | language | unabbreviated | characteristics | documentation | responsibility | availability | recommendations |\n\
    |---|---|---|---|---|---|---|\n\
    | Rust | systems programming | memory-safety | comprehensive | infrastructure | cross-platform | unconditionally |\n\n\
    That is all.\n\nانتهى.";

const DIAGRAMS: &str = "```mermaid\nflowchart LR\n  A[Read <b>it</b>] --> B{Whole?}\n  B -->|yes| C[(Keep it in the store of all)]\n  \
    B -->|no| D[Ask the person who wrote it]\n  D --> A\n```\n\n\
    ```mermaid\nsequenceDiagram\n  Page->>Server: a prompt\n  Server-->>Page: text\n```\n\n\
    ```mermaid\npie\n  \"tests\" : 1\n```\n\nThey are drawn.";

/// The agents, by the names of their projects.
pub(crate) fn agents() -> Vec<(&'static str, Script)> {
    let says = |text: &str| Step::message([Block::text(text)]);
    let turns = [
        Step::Turn(vec![says(TEXT)]),
        Step::Turn(vec![says(DIAGRAMS)]),
        Step::Turns(vec![says("It is read.")]),
    ];
    vec![(
        PROJECT,
        Script::new(crate::offers::initialized().into_iter().chain(turns)),
    )]
}
