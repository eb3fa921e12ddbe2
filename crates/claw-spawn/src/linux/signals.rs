//! Signals by direct system calls.
//!
//! The C library's functions leave out 32 and 33, which it reserves for itself (a `setuid` in another thread sends 33
//! to every thread, and its handler must not run in a process that borrows the memory). And interposers in the host
//! (Java, a sanitizer) take a call from the new process for one of the host's.

use std::ffi::c_int;
use std::ptr;

const IS_MIPS: bool = cfg!(any(
    target_arch = "mips",
    target_arch = "mips32r6",
    target_arch = "mips64",
    target_arch = "mips64r6"
));
/// The number of signals, which are counted from 1.
const SIGNALS: c_int = if IS_MIPS { 128 } else { 64 };
/// The size of a set of signals, in bytes.
const SET: usize = if IS_MIPS { 16 } else { 8 };

/// A set of signals.
pub(super) type Signals = [u64; 2];

pub(super) const NONE: Signals = [0; 2];
pub(super) const ALL: Signals = [u64::MAX; 2];

/// The action on a signal: room for the kernel's `sigaction`, which differs among processors.
type Action = [usize; 16];
/// The default action: all zeros on every processor.
const USUAL: Action = [0; 16];
/// The index of the handler in the action.
const HANDLER: usize = if IS_MIPS { 1 } else { 0 };

/// Blocks these signals in this thread, and no others. Returns the signals that were blocked before.
pub(super) fn block(signals: &Signals) -> Signals {
    let mut before = NONE;
    // SAFETY: the kernel reads and writes `SET` bytes, and both are as large.
    unsafe {
        let new = ptr::from_ref(signals);
        libc::syscall(
            libc::SYS_rt_sigprocmask,
            libc::SIG_SETMASK,
            new,
            &raw mut before,
            SET,
        );
    }
    before
}

/// Resets each signal that has a handler to its default. Ignored signals stay ignored, except for SIGPIPE, which every
/// Rust program ignores.
pub(super) fn take_out_handlers() {
    for signal in 1..=SIGNALS {
        let mut now = USUAL;
        // SAFETY: an action is shorter than `Action` on every processor; nothing is set.
        let known = unsafe {
            let none = ptr::null::<Action>();
            libc::syscall(libc::SYS_rt_sigaction, signal, none, &raw mut now, SET) == 0
        };
        let kept = match now[HANDLER] {
            libc::SIG_DFL => true,
            libc::SIG_IGN => signal != libc::SIGPIPE,
            _ => false,
        };
        if known && !kept {
            let usual = USUAL;
            // SAFETY: an action of zeros removes the handler.
            unsafe {
                let nowhere = ptr::null_mut::<Action>();
                libc::syscall(
                    libc::SYS_rt_sigaction,
                    signal,
                    &raw const usual,
                    nowhere,
                    SET,
                );
            }
        }
    }
}
