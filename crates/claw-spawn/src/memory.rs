//! Returns unused memory to the system.

/// The size from which blocks are returned to the system as soon as they are free, in bytes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: libc::c_int = 1 << 20;

/// Makes the allocator of the C library return large blocks to the system as soon as they are free.
/// By default, glibc's allocator keeps blocks of up to 32 MiB once it has freed one of that size.
/// Other allocators do not, and this call has no effect on them.
pub fn return_large_blocks() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the call takes two numbers, and locks the state that it changes.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
    }
}
