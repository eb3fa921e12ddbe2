//! The fuzz target's property on its seeds, and on seeds with damaged bytes.

use proptest::collection::vec;
use proptest::prelude::*;

use crate::property::holds;
use crate::support::seeds;

#[test]
fn every_seed_holds() {
    for seed in seeds() {
        let line = seed.line.as_bytes();
        assert!(
            std::panic::catch_unwind(|| holds(line)).is_ok(),
            "{}: {}",
            seed.name,
            seed.line
        );
    }
}

#[derive(Debug, Clone)]
enum Damage {
    Set(u8),
    Remove(usize),
    Repeat(usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    let token = prop::sample::select(&b"\"\\{}[]:,0-.eEntudD8 \n\xff"[..]);
    prop_oneof![
        token.prop_map(Damage::Set),
        (1usize..24).prop_map(Damage::Remove),
        (1usize..48).prop_map(Damage::Repeat),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_seeds_hold(
        which in any::<prop::sample::Index>(),
        damages in vec((any::<prop::sample::Index>(), damage()), 1..4),
    ) {
        let seeds = seeds();
        let mut line = which.get(&seeds).line.clone().into_bytes();
        for (at, damage) in damages {
            if line.is_empty() {
                break;
            }
            let at = at.index(line.len());
            match damage {
                Damage::Set(byte) => line[at] = byte,
                Damage::Remove(length) => {
                    line.drain(at..line.len().min(at + length));
                }
                Damage::Repeat(length) => {
                    let piece = line[at..line.len().min(at + length)].to_vec();
                    line.splice(at..at, piece);
                }
            }
        }
        holds(&line);
    }
}
