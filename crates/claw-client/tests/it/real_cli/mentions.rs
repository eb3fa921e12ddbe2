//! Files that a prompt mentions: what the API is sent is the judge.

use claw_client::{Session, mention};
use claw_testkit::api::{Api, scenarios};

use super::{cli::Cli, patience};
use crate::agent::soon;

/// Files beside which others lie that a careless reader of the name takes.
const NAMES: [(&str, &str); 10] = [
    ("my file.txt", "my"),
    ("dot.", "dot"),
    ("trail)", "trail"),
    ("café", "caf"),
    ("am&p.txt", "am"),
    ("mix é ü.txt", "mix"),
    ("at x@in.txt", "in.txt"),
    ("  lead.txt", "lead.txt"),
    ("x y\u{3000}z.txt", "x"),
    ("plain.txt", "plain"),
];

#[tokio::test]
async fn the_cli_reads_exactly_the_file_that_is_mentioned() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let work = cli.folder().join("work");
    let session = soon(Session::builder(cli.options()).connect())
        .await
        .unwrap();
    for (number, (name, other)) in NAMES.iter().enumerate() {
        std::fs::write(work.join(name), format!("FILE-{number}-END")).unwrap();
        std::fs::write(work.join(other), "ANOTHER").unwrap();
        let path = work.join(name);
        let words = format!("Read {}", mention(path.to_str().unwrap()).unwrap());
        soon(session.ask(words)).await.unwrap();
        let request = api.requests().pop().unwrap().body.to_string();
        assert!(request.contains(&format!("FILE-{number}-END")), "{name}");
        assert!(!request.contains("ANOTHER"), "{name}");
    }
    soon(session.close_with(patience())).await.unwrap();
}

/// The reason why there is no mention of such a name: the CLI reads the second file as well, or another one.
#[tokio::test]
async fn a_name_without_a_mention_would_have_another_file_read() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let work = cli.folder().join("work");
    let secret = cli.folder().join("secret.txt");
    let session = soon(Session::builder(cli.options()).connect())
        .await
        .unwrap();
    let names = [format!("x @{}", secret.display()), "tail ".to_owned()];
    for (name, other) in names.iter().zip([secret.clone(), work.join("tail")]) {
        std::fs::write(&other, format!("ANOTHER {}", name.len())).unwrap();
        let path = work.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "The file itself.").unwrap();
        assert_eq!(mention(path.to_str().unwrap()), None);
        soon(session.ask(format!("@\"{}\"", path.display())))
            .await
            .unwrap();
        let request = api.requests().pop().unwrap().body.to_string();
        assert!(
            request.contains(&format!("ANOTHER {}", name.len())),
            "{name}"
        );
    }
    soon(session.close_with(patience())).await.unwrap();
}
