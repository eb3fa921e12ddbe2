//! A process that behaves like `claude` and follows a script; see `claw_testkit::agent`.
#![forbid(unsafe_code)]

fn main() {
    claw_testkit::agent::main()
}
