//! The examples in the help of each command.

use std::fmt::Write as _;

use clap::Command;

/// The words of a command, and two examples. An example consists of its purpose and its line.
type Examples = (&'static str, [(&'static str, &'static str); 2]);

/// The examples of all commands.
pub(super) const EXAMPLES: [Examples; 43] = [
    (
        "run",
        [
            (
                "Explain what another command prints",
                "git diff | claw run 'Review this change.'",
            ),
            (
                "Take facts from a file as JSON",
                "claw run 'Who is the author?' --file paper.pdf --schema author.json",
            ),
        ],
    ),
    (
        "chat",
        [
            ("Talk with claude in this directory", "claw chat"),
            (
                "Go on at the terminal with what was begun on the page of `claw serve`",
                "claw chat --attach --continue",
            ),
        ],
    ),
    (
        "demo",
        [
            ("Show a session that needs nothing installed", "claw demo"),
            (
                "Show what happens when a tool is denied",
                "claw demo --deny",
            ),
        ],
    ),
    (
        "show",
        [
            ("Draw a recording", "claw show recordings/sum"),
            (
                "Follow a session while it runs",
                "claw show --follow session.jsonl",
            ),
        ],
    ),
    (
        "conform",
        [
            (
                "Test an SDK with one prompt each",
                "claw conform --level 1 -- python3 testee.py",
            ),
            (
                "Write the outcomes for a CI",
                "claw conform --known known-failures.txt --junit conform.xml -- ./testee",
            ),
        ],
    ),
    (
        "check",
        [
            ("Check a recording", "claw check recordings/sum"),
            ("Check lines from a pipe", "zcat lines.gz | claw check -"),
        ],
    ),
    (
        "view",
        [
            ("Look at a transcript", "claw view session.jsonl"),
            (
                "Write a recording as a page",
                "claw view recordings/sum -o sum.html",
            ),
        ],
    ),
    (
        "sessions",
        [
            ("List the sessions of this directory", "claw sessions list"),
            (
                "Count the costs of all projects by day",
                "claw sessions usage --all --by day",
            ),
        ],
    ),
    (
        "sessions list",
        [
            (
                "List the last five sessions",
                "claw sessions list --limit 5",
            ),
            (
                "List the sessions of all projects as JSON",
                "claw sessions list --all --json",
            ),
        ],
    ),
    (
        "sessions show",
        [
            ("Show the newest session", "claw sessions show --last"),
            (
                "Show a session by the start of its ID",
                "claw sessions show 3f2a",
            ),
        ],
    ),
    (
        "sessions rename",
        [
            (
                "Give a session a title",
                "claw sessions rename 3f2a 'The parser'",
            ),
            (
                "Give a session in a store a title",
                "claw sessions --store /srv/sessions rename 3f2a Release",
            ),
        ],
    ),
    (
        "sessions tag",
        [
            ("Tag a session", "claw sessions tag 3f2a review"),
            ("Remove the tag", "claw sessions tag 3f2a --remove"),
        ],
    ),
    (
        "sessions archive",
        [
            ("Archive a session", "claw sessions archive 3f2a"),
            (
                "Take a session out of the archive",
                "claw sessions archive 3f2a --undo",
            ),
        ],
    ),
    (
        "sessions delete",
        [
            (
                "Delete a session after a question",
                "claw sessions delete 3f2a",
            ),
            (
                "Print what is older than 90 days in all projects, and delete it after a question",
                "claw sessions delete --older-than 90d --all",
            ),
        ],
    ),
    (
        "sessions move",
        [
            (
                "Print which sessions of a renamed directory would be moved",
                "claw sessions move ~/sums ~/work/sums",
            ),
            (
                "Move those of all directories below it, too",
                "claw sessions move ~/sums ~/work/sums --all-below --yes",
            ),
        ],
    ),
    (
        "sessions repair",
        [
            (
                "Print what is broken in a session, and what a repair would do",
                "claw sessions repair 3f2a --check-only",
            ),
            (
                "Mend a session in a copy, and print the command that continues it",
                "claw sessions repair 3f2a",
            ),
        ],
    ),
    (
        "sessions fork",
        [
            ("Copy the newest session", "claw sessions fork --last"),
            (
                "Copy a session under a title",
                "claw sessions fork 3f2a --title 'Second try'",
            ),
        ],
    ),
    (
        "sessions search",
        [
            (
                "Find a text in this directory's sessions",
                "claw sessions search 'race condition'",
            ),
            (
                "Find a text anywhere, in any case",
                "claw sessions search -i todo --all --everything",
            ),
        ],
    ),
    (
        "sessions usage",
        [
            ("Count tokens and costs by model", "claw sessions usage"),
            (
                "Count those of all projects by day, as JSON",
                "claw sessions usage --all --by day --json",
            ),
        ],
    ),
    (
        "sessions import",
        [
            (
                "Bring the newest session into a store",
                "claw sessions --store /srv/sessions import --last",
            ),
            (
                "Bring a session by the start of its ID",
                "claw sessions --store /srv/sessions import 3f2a",
            ),
        ],
    ),
    (
        "sessions sync",
        [
            (
                "Store the sessions of this disk",
                "claw sessions sync --store /srv/sessions",
            ),
            (
                "Store them while they are written",
                "claw sessions sync --store /srv/sessions --watch",
            ),
        ],
    ),
    (
        "sessions pull",
        [
            (
                "Print which sessions would be brought to this folder",
                "claw sessions pull --store /srv/sessions --dry-run",
            ),
            ("Bring them", "claw sessions pull --store /srv/sessions"),
        ],
    ),
    (
        "sessions export",
        [
            (
                "Write a session as Markdown",
                "claw sessions export 3f2a -o session.md",
            ),
            (
                "Write the newest session's lines to a pipe",
                "claw sessions export --last --format ndjson -o - | jq .type",
            ),
        ],
    ),
    (
        "store",
        [
            (
                "Move to a store in Postgres, whose URL is in a variable",
                "claw store copy /srv/sessions env:NEW_STORE",
            ),
            (
                "Take what the example of the Python SDK has stored",
                "claw store copy --sdk python env:OLD_STORE /srv/sessions",
            ),
        ],
    ),
    (
        "store check",
        [
            (
                "Read every line of a store, for example after a restore",
                "claw store check postgres://claw@db.internal/claw",
            ),
            (
                "Compare the sessions of one project with those in another store",
                "claw store check /srv/sessions --against env:NEW_STORE --project shop",
            ),
        ],
    ),
    (
        "store copy",
        [
            (
                "Copy all sessions, or those that are new, and compare",
                "claw store copy --compare /srv/sessions postgres://claw@db.internal/claw",
            ),
            (
                "Copy those of one project",
                "claw store copy /srv/sessions /srv/other --project shop",
            ),
        ],
    ),
    (
        "serve",
        [
            ("Serve the sessions of this directory", "claw serve"),
            (
                "Let the phones in the local network in",
                "claw serve --project shop=acceptEdits --phone",
            ),
        ],
    ),
    (
        "acp",
        [
            ("Be the agent that an editor starts", "claw acp"),
            (
                "Record what passes, with another model",
                "claw acp --model opus --record recordings/editor",
            ),
        ],
    ),
    (
        "schema",
        [
            (
                "Print the schema of claude's messages",
                "claw schema stdout",
            ),
            (
                "Check lines against it",
                "claw schema stdout --check lines.ndjson",
            ),
        ],
    ),
    (
        "completions",
        [
            ("Complete in this Bash", "source <(claw completions bash)"),
            (
                "Complete in every Fish",
                "claw completions fish > ~/.config/fish/completions/claw.fish",
            ),
        ],
    ),
    (
        "config",
        [
            ("Set the default of --model", "claw config set model opus"),
            ("List what is set, and where", "claw config list"),
        ],
    ),
    (
        "config get",
        [
            ("Print the default of --model", "claw config get model"),
            (
                "Print the default of --output of claw run",
                "claw config get run.output",
            ),
        ],
    ),
    (
        "config set",
        [
            (
                "Set the default of --model for all commands",
                "claw config set model opus",
            ),
            (
                "Set the default of --output for claw run",
                "claw config set run.output json",
            ),
        ],
    ),
    (
        "config unset",
        [
            ("Remove the default of --model", "claw config unset model"),
            (
                "Remove a default of one command",
                "claw config unset serve.listen",
            ),
        ],
    ),
    (
        "config list",
        [
            ("List what is set, and where", "claw config list"),
            (
                "See what one variable changes",
                "CLAW_MODEL=haiku claw config list",
            ),
        ],
    ),
    (
        "config path",
        [
            ("Print the file's name", "claw config path"),
            (
                "Keep a copy of the file",
                "cp $(claw config path) backup.toml",
            ),
        ],
    ),
    (
        "config edit",
        [
            ("Edit the file in $VISUAL or $EDITOR", "claw config edit"),
            (
                "Edit the file in another editor",
                "EDITOR=nano claw config edit",
            ),
        ],
    ),
    (
        "users",
        [
            (
                "Add a user who may send prompts",
                "claw users add ana --role prompt --users ~/claw-users.json",
            ),
            (
                "List the users",
                "claw users list --users ~/claw-users.json",
            ),
        ],
    ),
    (
        "users add",
        [
            (
                "Add a user who only reads one project",
                "claw users add ana --role view --project ~/shop --users ~/claw-users.json",
            ),
            (
                "Add a user, and print a link with the address of the server",
                "claw users add ana@example.org --role own --url https://claw.example.org --users ~/claw-users.json",
            ),
        ],
    ),
    (
        "users list",
        [
            (
                "List the users",
                "claw users list --users ~/claw-users.json",
            ),
            (
                "List those of the file that the environment names",
                "claw users list",
            ),
        ],
    ),
    (
        "users remove",
        [
            (
                "Remove a user",
                "claw users remove ana --users ~/claw-users.json",
            ),
            (
                "Remove one whose name is an address",
                "claw users remove ana@example.org --users ~/claw-users.json",
            ),
        ],
    ),
    (
        "audit",
        [
            (
                "Print what a user has done",
                "claw audit ~/claw-audit.jsonl --user ana",
            ),
            (
                "Print what was done in a session since a day",
                "claw audit ~/claw-audit.jsonl --session 3f2a --since 2026-11-29",
            ),
        ],
    ),
    (
        "doctor",
        [
            ("Find out why no session works", "claw doctor"),
            (
                "Check also that the API is reached, for a script",
                "claw doctor --network --json",
            ),
        ],
    ),
];

/// Adds the examples to the help of a command, and to that of the commands below it.
pub(super) fn add(command: Command) -> Command {
    EXAMPLES.iter().fold(command, |command, (path, examples)| {
        let mut words = path.split(' ');
        if words.next() != Some(command.get_name()) {
            return command;
        }
        let mut help = "Examples:".to_owned();
        for (what, line) in examples {
            // Writing to a String cannot fail.
            let _ = write!(help, "\n  {what}:\n    {line}");
        }
        let words: Vec<_> = words.collect();
        with_help(command, &words, help)
    })
}

fn with_help(command: Command, path: &[&'static str], help: String) -> Command {
    match path {
        [] => {
            let before = command.get_after_long_help().map(ToString::to_string);
            let before = before.map_or_else(String::new, |text| text + "\n\n");
            command.after_long_help(before + &help)
        }
        [name, rest @ ..] => command.mut_subcommand(name, |sub| with_help(sub, rest, help)),
    }
}
