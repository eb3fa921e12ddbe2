//! Memory that was used for a while.

/// From which size on memory is given back to the system as soon as it is free, in bytes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: libc::c_int = 1 << 20;

/// Has the allocator of the C library give large blocks back to the system as soon as they are free. The allocator of glibc
/// otherwise keeps blocks of up to 32 MiB once it has freed one of that size. Other allocators do not, and this call does
/// nothing there.
pub fn return_large_blocks() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the call takes two numbers, and locks what it changes.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
    }
}
