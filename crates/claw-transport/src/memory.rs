//! Memory that was used for a while.

/// Has this process give large blocks of memory back to the system as soon as they are free. This concerns the allocator of
/// glibc, which keeps them otherwise; elsewhere the call does nothing. Call it once, at the start of a program that now and
/// then handles messages of many megabytes, such as prompts with images.
pub fn return_large_blocks() {
    #[cfg(unix)]
    claw_spawn::return_large_blocks();
}
