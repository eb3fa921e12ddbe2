//! Compiles the code in `docs/guides` with the tests.

macro_rules! guides {
    ($($(#[$when:meta])* $name:ident = $file:literal),+ $(,)?) => {$(
        $(#[$when])*
        #[doc = include_str!(concat!("../../../docs/guides/", $file))]
        struct $name;
    )+};
}

guides! {
    #[cfg(feature = "blocking")]
    Blocking = "blocking.md",
    Chat = "chat.md",
    ComingFrom = "coming-from.md",
    ComingFromPython = "coming-from-python.md",
    ComingFromTypescript = "coming-from-typescript.md",
    Command = "command.md",
    Hooks = "hooks.md",
    Index = "README.md",
    Interrupting = "interrupting.md",
    #[cfg(feature = "pool")]
    ManySessions = "many-sessions.md",
    #[cfg(feature = "mcp")]
    Mcp = "mcp.md",
    Migrating = "migrating.md",
    Notify = "notify.md",
    Permissions = "permissions.md",
    Proxy = "proxy.md",
    Query = "query.md",
    Questions = "questions.md",
    Recording = "recording.md",
    Resuming = "resuming.md",
    Rules = "rules.md",
    Sessions = "sessions.md",
    #[cfg(feature = "store")]
    Stores = "stores.md",
    // Other crates compile the other guides: claw-sessions compiles "changing.md", "history.md" and "usage.md",
    // claw-view "showing.md", claw-server "embedding.md", and claw-store "syncing.md".
    StructuredOutput = "structured-output.md",
    Testing = "testing.md",
}
