//! Shards: parts of a tournament that separate runs play.

use ggp_game::rng::mix;
use std::str::FromStr;

/// A shard: the `index`-th of the `count` parts into which all encounters are divided.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Shard {
    /// The index of this shard, from 1 to `count`.
    pub index: u64,
    /// The number of shards.
    pub count: u64,
}

impl Shard {
    /// The one shard that holds all encounters.
    pub const ALL: Shard = Shard { index: 1, count: 1 };

    /// Whether the encounter with index `encounter` belongs to this shard. Of every block of `count`
    /// consecutive encounters, each shard holds one. The place of a shard's encounter within the block
    /// changes from block to block. If it were fixed, all encounters of a shard could be of the same game.
    pub fn contains(self, encounter: u64) -> bool {
        let (block, place) = (encounter / self.count, encounter % self.count);
        (place + mix(block) % self.count) % self.count == self.index - 1
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((index, count)) if (1..=count).contains(&index) => Ok(Shard { index, count }),
            _ => Err(format!("`{text}` is not a shard: write K/N, with K from 1 to N")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_share_all_encounters_out() {
        for count in 1..9 {
            let mut sizes = vec![0u64; count as usize];
            for encounter in 0..840 {
                let owners: Vec<u64> =
                    (1..=count).filter(|&index| Shard { index, count }.contains(encounter)).collect();
                assert_eq!(owners.len(), 1);
                sizes[owners[0] as usize - 1] += 1;
            }
            assert!(sizes.iter().all(|&size| size == 840 / count), "{sizes:?}");
        }
        assert_eq!("2/3".parse(), Ok(Shard { index: 2, count: 3 }));
        for bad in ["0/3", "4/3", "1", "a/b", "1/0"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }
}
