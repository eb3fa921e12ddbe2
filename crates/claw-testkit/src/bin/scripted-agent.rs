//! A process that looks like `claude` and says what a script says; see `claw_testkit::agent`.
#![forbid(unsafe_code)]

fn main() {
    claw_testkit::agent::main()
}
