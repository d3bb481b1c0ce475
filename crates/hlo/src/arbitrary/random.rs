//! A small random number generator: SplitMix64 (Steele, Lea and Flood, 2014).

/// A seeded stream of random numbers, the same on every machine.
#[derive(Clone, Debug)]
pub struct SplitMix(u64);

impl SplitMix {
    /// The stream of `seed`.
    pub fn new(seed: u64) -> SplitMix {
        SplitMix(seed)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A stream of its own.
    pub fn fork(&mut self) -> SplitMix {
        SplitMix(self.next_u64())
    }

    /// A number from `0..n`; 0 when `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next_u64()) * n as u128) >> 64) as usize
    }

    /// A number from `low..=high`.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1).max(1) as usize) as i64
    }

    /// `true` once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of `items`, which must not be empty.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// One of `items`, drawn as often as its weight says.
    pub fn weighted<T: Copy>(&mut self, items: &[(u32, T)]) -> T {
        let total: u32 = items.iter().map(|(weight, _)| weight).sum();
        let mut at = self.below(total as usize) as u32;
        for &(weight, item) in items {
            if at < weight {
                return item;
            }
            at -= weight;
        }
        items[0].1
    }

    /// `0..n` in a random order.
    pub fn permutation(&mut self, n: usize) -> Vec<i64> {
        let mut order: Vec<i64> = (0..n as i64).collect();
        for i in (1..n).rev() {
            order.swap(i, self.below(i + 1));
        }
        order
    }

    /// Some of `0..n`, ascending.
    pub fn subset(&mut self, n: usize) -> Vec<i64> {
        (0..n as i64).filter(|_| self.one_in(2)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_the_published_one() {
        let mut rng = SplitMix::new(1234567);
        assert_eq!(rng.next_u64(), 6457827717110365317);
        assert_eq!(rng.next_u64(), 3203168211198807973);
    }

    #[test]
    fn draws_stay_in_range() {
        let mut rng = SplitMix::new(1);
        for _ in 0..1000 {
            assert!((-3..=5).contains(&rng.between(-3, 5)));
            assert!(rng.below(7) < 7);
        }
        let mut order = rng.permutation(9);
        order.sort_unstable();
        assert!(order.iter().copied().eq(0..9));
    }
}
