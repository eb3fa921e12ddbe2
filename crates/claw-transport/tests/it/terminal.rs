use std::fs::OpenOptions;
use std::io::{self, Read as _};

use rustix::io::ioctl_fionread;
use rustix::process::{ioctl_tiocsctty, setsid};

use crate::shell::run;
use crate::support::{is_inside, line, succeeds, this_test_alone};

const NAME: &str = "terminal::what_is_started_cannot_open_the_hosts_terminal";

#[test]
fn what_is_started_cannot_open_the_hosts_terminal() {
    if is_inside(NAME) {
        return be_the_host();
    }
    let (mut person, typed) = claw_testkit::terminal::open(80, 24).unwrap();
    succeeds(this_test_alone(NAME).stdin(typed));
    // What the terminal showed until its last user was gone.
    let mut shown = Vec::new();
    let mut buffer = [0; 1024];
    while let Ok(length @ 1..) = person.read(&mut buffer) {
        shown.extend_from_slice(&buffer[..length]);
    }
    assert_eq!(String::from_utf8_lossy(&shown), "host\r\n");
}

/// The leader of a session whose terminal this is, as a shell's `claw run` is.
fn be_the_host() {
    setsid().unwrap();
    ioctl_tiocsctty(io::stdin()).unwrap();
    let mut shown = OpenOptions::new().write(true).open("/dev/tty").unwrap();
    io::Write::write_all(&mut shown, b"host\n").unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let script = "if (echo y >/dev/tty) 2>/dev/null; then echo opened; else echo refused; fi
                      cut -d ' ' -f 5-7 /proc/$$/stat; read line";
        let mut parts = run(script).await;
        assert_eq!(line(&mut parts).await, "refused");
        // Its process group and its session are its own, and no terminal is theirs.
        let pid = parts.process.pid().unwrap();
        assert_eq!(line(&mut parts).await, format!("{pid} {pid} 0"));

        let mut parts = run(&format!("perl -e '{TYPE}'; read line")).await;
        assert_eq!(
            line(&mut parts).await,
            "ENXIO ENOTTY ENOTTY ENOTTY",
            "{} (perl is a package of the system's)",
            parts.process.stderr_tail()
        );
    });
    assert_eq!(ioctl_fionread(io::stdin()).unwrap(), 0, "nothing was typed");
}

/// Tries to type a line into the terminal, by TIOCSTI: into the controlling one, and into what it has
/// inherited. Says why it could not. (Many kernels refuse TIOCSTI as such, with EIO.)
const TYPE: &str = r#"
    use Errno;
    sub type_into {
        my ($into) = @_;
        for my $key ("y", "\n") {
            my $typed = $key;
            return (grep { $!{$_} } "ENOTTY", "EIO", "EPERM")[0] unless ioctl($into, 0x5412, $typed);
        }
        return "typed";
    }
    my $terminal;
    my $tty = open($terminal, "+<", "/dev/tty") ? type_into($terminal) : $!{ENXIO} ? "ENXIO" : "$!";
    print join(" ", $tty, map { type_into($_) } \*STDIN, \*STDOUT, \*STDERR), "\n";
"#;
