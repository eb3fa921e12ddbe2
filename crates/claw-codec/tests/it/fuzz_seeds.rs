//! The fuzz target's property on its seeds.

use std::fs;
use std::path::Path;

use crate::property::holds;

#[test]
fn every_seed_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/codec");
    let mut seeds = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let seed = fs::read(&path).unwrap();
        let held = std::panic::catch_unwind(|| holds(&seed));
        assert!(held.is_ok(), "{}", path.display());
        seeds += 1;
    }
    assert!(seeds > 0, "no seeds in {}", folder.display());
}
