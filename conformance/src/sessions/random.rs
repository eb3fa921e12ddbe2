//! Pseudo-random numbers, which are the same in every run.

/// A generator after Marsaglia (xorshift64*).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Returns a number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = end.max(1) as u64;
        usize::try_from((self.next() >> 16) % end).unwrap_or(0)
    }

    /// Returns `true` with a probability of one in `times`.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn one_of<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        all.get(self.below(all.len()))
    }

    pub(crate) fn uuid(&mut self) -> String {
        let (a, b) = (self.next(), self.next());
        let low = b & 0xffff_ffff_ffff;
        let (high, middle, version) = (a >> 32, a >> 16 & 0xffff, a & 0xfff);
        format!(
            "{high:08x}-{middle:04x}-4{version:03x}-8{:03x}-{low:012x}",
            b >> 48 & 0xfff
        )
    }
}
