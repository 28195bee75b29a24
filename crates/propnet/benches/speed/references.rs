//! Hand-written random playouts of two games, as references for the speed of a specialised program on one
//! thread. They use bitboards, interleave several games so that latencies overlap, and select moves by rank
//! with `pdep`.

use ggp_game::rng::mix;

/// The number of interleaved games.
const GAMES: usize = 8;

/// Sums over finished playouts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) playouts: u64,
    pub(crate) steps: u64,
    /// The sum of the first role's scores, in half points: 2 for a win, 1 for a draw.
    pub(crate) first_role_score: u64,
}

/// PCG XSH RS 64/32 (O'Neill 2014).
struct Random(u64);

impl Random {
    #[inline(always)]
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let bits = ((self.0 >> 22) ^ self.0) >> (22 + (self.0 >> 61));
        ((u64::from(bits as u32) * u64::from(n)) >> 32) as u32
    }
}

/// The set bit of `set` that has `rank` set bits below it, as a word in which only this bit is set.
fn select_bit(mut set: u64, rank: u32) -> u64 {
    for _ in 0..rank {
        set &= set - 1;
    }
    set & set.wrapping_neg()
}

/// Defines the function `$name`, which plays many games with `$play`, and the function `$with_bmi2`, which
/// does the same for processors with BMI2. On such a processor, `$name` calls `$with_bmi2`.
macro_rules! playouts {
    ($name:ident, $with_bmi2:ident, $play:ident) => {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "bmi1,bmi2,popcnt,lzcnt")]
        fn $with_bmi2(seed: u64, playouts: u64) -> Totals {
            $play(seed, playouts, |set, rank| std::arch::x86_64::_pdep_u64(1 << rank, set))
        }

        /// Plays at least `playouts` games and counts their results. `GAMES` games are interleaved at a time,
        /// and equally many are counted in each of these places.
        pub(crate) fn $name(seed: u64, playouts: u64) -> Totals {
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("bmi2") && is_x86_feature_detected!("lzcnt") {
                #[expect(unsafe_code, reason = "features are known at run time only")]
                // SAFETY: the features were just detected; BMI2 implies BMI1 and POPCNT.
                return unsafe { $with_bmi2(seed, playouts) };
            }
            $play(seed, playouts, select_bit)
        }
    };
}
playouts!(breakthrough_holes, breakthrough_holes_bmi2, play_breakthrough);
playouts!(connect_four, connect_four_bmi2, play_connect_four);

const HOLES: u64 = 1 << 18 | 1 << 21 | 1 << 42 | 1 << 45;
const FILE_FIRST: u64 = 0x0101_0101_0101_0101;
const FILE_LAST: u64 = FILE_FIRST << 7;

/// A position of breakthrough with holes at (3,3), (3,6), (6,3), (6,6), seen from the side to move, whose
/// pieces move up.
#[derive(Clone, Copy)]
struct Breakthrough {
    own: u64,
    other: u64,
    steps: u32,
}

impl Breakthrough {
    const START: Breakthrough = Breakthrough { own: 0xffff, other: 0xffff << 48, steps: 0 };

    /// Makes a random move and turns the board. Returns whether the game is over.
    #[inline(always)]
    fn step(&mut self, random: &mut Random, select: impl Fn(u64, u32) -> u64) -> bool {
        let free = !(self.own | HOLES);
        let straight = (self.own << 8) & free & !self.other;
        let left = ((self.own & !FILE_FIRST) << 7) & free;
        let right = ((self.own & !FILE_LAST) << 9) & free;
        let (a, b) = (straight.count_ones(), left.count_ones());
        let rank = random.below(a + b + right.count_ones());
        let (in_left, in_right) = (rank >= a, rank >= a + b);
        let set = if in_right {
            right
        } else if in_left {
            left
        } else {
            straight
        };
        let base = if in_right {
            a + b
        } else if in_left {
            a
        } else {
            0
        };
        let shift = if in_right {
            9
        } else if in_left {
            7
        } else {
            8
        };
        let to = select(set, rank - base);
        let own = (self.own ^ (to >> shift)) | to;
        let other = self.other & !to;
        self.steps += 1;
        // The board is turned by 180 degrees: the holes and the rules are symmetric.
        self.own = other.reverse_bits();
        self.other = own.reverse_bits();
        to >= 1 << 56 || other == 0
    }
}

#[inline(always)]
fn play_breakthrough(seed: u64, playouts: u64, select: impl Fn(u64, u32) -> u64 + Copy) -> Totals {
    let mut totals = Totals::default();
    let mut games = [Breakthrough::START; GAMES];
    let mut random: [Random; GAMES] = std::array::from_fn(|i| Random(mix(seed.wrapping_add(i as u64))));
    let mut left: [u64; GAMES] = [playouts.div_ceil(GAMES as u64); GAMES];
    let mut running = GAMES;
    while running > 0 {
        for i in 0..GAMES {
            if games[i].step(&mut random[i], select) {
                let steps = u64::from(games[i].steps);
                games[i] = Breakthrough::START;
                if left[i] > 0 {
                    left[i] -= 1;
                    running -= usize::from(left[i] == 0);
                    totals.playouts += 1;
                    totals.steps += steps;
                    totals.first_role_score += 2 * (steps % 2);
                }
            }
        }
    }
    totals
}

const COLUMNS: u32 = 7;
/// Bits of the bottom row. A column has seven bits, of which the top one stays empty.
const BOTTOM: u64 = 0x0000_0408_1020_4081;
const BOARD: u64 = BOTTOM * 0x3f;

/// A position of connect four: the stones of the side to move, and all stones.
#[derive(Clone, Copy)]
struct ConnectFour {
    own: u64,
    all: u64,
    steps: u32,
}

impl ConnectFour {
    const START: ConnectFour = ConnectFour { own: 0, all: 0, steps: 0 };

    /// Makes a random move. Returns whether the game is over, and whether it was won.
    #[inline(always)]
    fn step(&mut self, random: &mut Random, select: impl Fn(u64, u32) -> u64) -> (bool, bool) {
        let open = (self.all + BOTTOM) & BOARD;
        let stone = select(open, random.below(open.count_ones()));
        let own = self.own | stone;
        self.own ^= self.all;
        self.all |= stone;
        self.steps += 1;
        let mut won = 0;
        for shift in [1, COLUMNS - 1, COLUMNS, COLUMNS + 1] {
            let pairs = own & (own >> shift);
            won |= pairs & (pairs >> (2 * shift));
        }
        (won != 0 || self.all == BOARD, won != 0)
    }
}

#[inline(always)]
fn play_connect_four(seed: u64, playouts: u64, select: impl Fn(u64, u32) -> u64 + Copy) -> Totals {
    let mut totals = Totals::default();
    let mut games = [ConnectFour::START; GAMES];
    let mut random: [Random; GAMES] = std::array::from_fn(|i| Random(mix(seed.wrapping_add(i as u64))));
    let mut left: [u64; GAMES] = [playouts.div_ceil(GAMES as u64); GAMES];
    let mut running = GAMES;
    while running > 0 {
        for i in 0..GAMES {
            let (over, won) = games[i].step(&mut random[i], select);
            if over {
                let steps = u64::from(games[i].steps);
                games[i] = ConnectFour::START;
                if left[i] > 0 {
                    left[i] -= 1;
                    running -= usize::from(left[i] == 0);
                    totals.playouts += 1;
                    totals.steps += steps;
                    totals.first_role_score += if won { 2 * (steps % 2) } else { 1 };
                }
            }
        }
    }
    totals
}
