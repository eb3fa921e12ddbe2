//! The codec as its users see it: any input, in any pieces, both ways.

#[cfg(test)]
mod chunks;
#[cfg(test)]
mod encode;
#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod fuzz_seeds;
#[cfg(test)]
mod long;
#[cfg(test)]
mod property;
#[cfg(test)]
mod stream;
#[cfg(test)]
mod support;
