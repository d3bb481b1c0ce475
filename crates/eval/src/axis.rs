//! One axis of a sliding window: which input element an output position sees through which element
//! of the window.
//!
//! Convolutions, `reduce_window` and `select_and_scatter` stand on it; it knows none of them.

use tfjit_base::{Error, Result};

/// Extents and steps of one axis.
#[derive(Clone)]
pub(crate) struct Axis {
    /// Extent of the input, before dilation and padding.
    pub(crate) input: usize,
    /// Elements of the window (the kernel of a convolution), before dilation.
    pub(crate) kernel: usize,
    /// Extent of the output.
    pub(crate) output: usize,
    /// From one output position to the next, in padded input elements; 1 at least, like both
    /// dilations.
    pub(crate) stride: i64,
    /// Elements in front of the input; cut off when negative.
    pub(crate) pad_low: i64,
    pub(crate) input_dilation: i64,
    pub(crate) kernel_dilation: i64,
    /// Whether the kernel is stored back to front.
    pub(crate) reversed: bool,
}

/// The attribute lists of a window, one entry an axis; an empty list stands for ones (zeros, for
/// padding).
#[derive(Clone, Copy, Default)]
pub(crate) struct WindowLists<'a> {
    pub(crate) strides: &'a [i64],
    pub(crate) padding: &'a [[i64; 2]],
    pub(crate) input_dilations: &'a [i64],
    pub(crate) kernel_dilations: &'a [i64],
    pub(crate) reversal: &'a [bool],
}

/// Output positions that fall on the same side of the holes of a dilated input, and the kernel
/// elements that meet no hole there. Without dilation there is one phase with everything.
pub(crate) struct Phase {
    first: usize,
    step: usize,
    /// How many output positions.
    pub(crate) outputs: usize,
    /// Kernel elements, before reversal.
    pub(crate) taps: Vec<usize>,
}

impl Phase {
    /// The `index`-th output position.
    pub(crate) fn output(&self, index: usize) -> usize {
        self.first + index * self.step
    }
}

impl Axis {
    /// The axes over which a window of extents `kernel` slides.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for lists of another length, steps below 1, and padded extents that are
    /// beyond 64 bits.
    pub(crate) fn all(
        input: &[usize],
        kernel: &[usize],
        lists: WindowLists<'_>,
    ) -> Result<Vec<Axis>> {
        let n = input.len();
        let lengths = [
            ("window dimensions", kernel.len(), false),
            ("window_strides", lists.strides.len(), true),
            ("padding", lists.padding.len(), true),
            ("base or lhs dilations", lists.input_dilations.len(), true),
            ("window or rhs dilations", lists.kernel_dilations.len(), true),
            ("window_reversal", lists.reversal.len(), true),
        ];
        let wrong = |&(_, len, optional): &(_, usize, bool)| len != n && !(optional && len == 0);
        if let Some((name, len, _)) = lengths.into_iter().find(wrong) {
            return Err(Error::invalid_argument(format!(
                "{name}: {len} entries for {n} dimensions of a window"
            )));
        }
        let step = |list: &[i64], i: usize| list.get(i).copied().unwrap_or(1);
        (0..n)
            .map(|i| {
                Axis::new(
                    (input[i], kernel[i]),
                    [
                        step(lists.strides, i),
                        step(lists.input_dilations, i),
                        step(lists.kernel_dilations, i),
                    ],
                    lists.padding.get(i).copied().unwrap_or_default(),
                    lists.reversal.get(i).copied().unwrap_or(false),
                )
            })
            .collect()
    }

    fn new(
        (input, kernel): (usize, usize),
        [stride, input_dilation, kernel_dilation]: [i64; 3],
        [pad_low, pad_high]: [i64; 2],
        reversed: bool,
    ) -> Result<Axis> {
        if stride < 1 || input_dilation < 1 || kernel_dilation < 1 {
            return Err(Error::invalid_argument(
                "strides and dilations of a window are at least 1",
            ));
        }
        let dilated = |n: usize, by: i64| match n {
            0 => 0,
            n => (n as i128 - 1) * i128::from(by) + 1,
        };
        let padded = dilated(input, input_dilation) + i128::from(pad_low) + i128::from(pad_high);
        let window = dilated(kernel, kernel_dilation);
        if [padded, window].iter().any(|&n| n > i128::from(i64::MAX / 4)) {
            return Err(Error::invalid_argument("a padded extent is too large"));
        }
        let room = padded - window;
        let output = if padded > 0 && room >= 0 { room / i128::from(stride) + 1 } else { 0 };
        // With an output, positions lie between -pad_low and the padded extent.
        if output > 0 && pad_low.unsigned_abs() > (i64::MAX / 4) as u64 {
            return Err(Error::invalid_argument("the padding of a window is too large"));
        }
        let output = output as usize;
        Ok(Axis {
            input,
            kernel,
            output,
            stride,
            pad_low,
            input_dilation,
            kernel_dilation,
            reversed,
        })
    }

    /// The position in the dilated input that output `o` sees through kernel element `k`.
    fn place(&self, o: usize, k: usize) -> i64 {
        o as i64 * self.stride + k as i64 * self.kernel_dilation - self.pad_low
    }

    /// The input element that output `o` sees through kernel element `k`; `None` in the padding and
    /// between dilated elements.
    pub(crate) fn input_position(&self, o: usize, k: usize) -> Option<usize> {
        let place = self.place(o, k);
        if place < 0 {
            return None;
        }
        let index = if self.input_dilation == 1 {
            place
        } else if place % self.input_dilation == 0 {
            place / self.input_dilation
        } else {
            return None;
        };
        Some(index as usize).filter(|&i| i < self.input)
    }

    /// Where kernel element `k` is stored.
    pub(crate) fn kernel_position(&self, k: usize) -> usize {
        if self.reversed { self.kernel - 1 - k } else { k }
    }

    /// The phases of the axis; every output position is in one.
    pub(crate) fn phases(&self) -> Vec<Phase> {
        let period = (self.input_dilation / gcd(self.input_dilation, self.stride)) as usize;
        (0..period.min(self.output))
            .map(|first| Phase {
                first,
                step: period,
                outputs: (self.output - first).div_ceil(period),
                taps: (0..self.kernel)
                    .filter(|&k| self.place(first, k) % self.input_dilation == 0)
                    .collect(),
            })
            .collect()
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(input: usize, kernel: usize, lists: WindowLists<'_>) -> Result<Axis> {
        Ok(Axis::all(&[input], &[kernel], lists)?.remove(0))
    }

    #[test]
    fn positions_follow_the_definition() {
        for (stride, dilation, kernel_dilation, low, high) in
            [(1, 1, 1, 0, 0), (2, 3, 1, 1, 2), (3, 2, 2, -1, 4), (2, 4, 3, 5, -2), (6, 4, 1, 0, 9)]
        {
            let lists = WindowLists {
                strides: &[stride],
                padding: &[[low, high]],
                input_dilations: &[dilation],
                kernel_dilations: &[kernel_dilation],
                reversal: &[],
            };
            let (n, kernel) = (7, 3);
            let a = axis(n, kernel, lists).unwrap();
            // The dilated and padded input, written out.
            let mut padded = Vec::new();
            for place in -low..(n as i64 - 1) * dilation + 1 + high {
                let inside = place >= 0 && place % dilation == 0;
                padded.push(Some((place / dilation) as usize).filter(|&i| inside && i < n));
            }
            let mut outputs = 0;
            while outputs * stride + (kernel as i64 - 1) * kernel_dilation < padded.len() as i64 {
                for k in 0..kernel {
                    let at = outputs * stride + k as i64 * kernel_dilation;
                    assert_eq!(a.input_position(outputs as usize, k), padded[at as usize]);
                }
                outputs += 1;
            }
            assert_eq!(a.output as i64, outputs);
            let mut covered: Vec<usize> = Vec::new();
            for phase in a.phases() {
                for i in 0..phase.outputs {
                    covered.push(phase.output(i));
                    for k in 0..kernel {
                        let hit = a.input_position(phase.output(i), k);
                        assert!(hit.is_none() || phase.taps.contains(&k));
                    }
                }
            }
            covered.sort_unstable();
            assert!(covered.into_iter().eq(0..a.output));
        }
    }

    #[test]
    fn hostile_numbers_are_errors() {
        let padded =
            |low, high| axis(3, 1, WindowLists { padding: &[[low, high]], ..Default::default() });
        assert!(padded(i64::MAX, i64::MAX).is_err());
        assert!(padded(i64::MIN, i64::MAX).is_err());
        assert!(padded(i64::MIN, 0).is_ok_and(|a| a.output == 0));
        assert!(axis(3, 1, WindowLists { strides: &[0], ..Default::default() }).is_err());
        assert!(axis(3, 1, WindowLists { strides: &[1, 1], ..Default::default() }).is_err());
        let far = WindowLists { kernel_dilations: &[i64::MAX], ..Default::default() };
        assert!(axis(3, 9, far).is_err());
    }
}
