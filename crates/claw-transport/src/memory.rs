//! Returns unused memory to the system.

/// Makes this process return large blocks of memory to the system as soon as they are free. Without this call, the
/// allocator of glibc keeps them. On systems without glibc, the call does nothing. Call it once, at the start of a
/// program that occasionally handles messages of many megabytes, such as prompts with images.
pub fn return_large_blocks() {
    #[cfg(unix)]
    claw_spawn::return_large_blocks();
}
