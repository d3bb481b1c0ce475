//! A window that slides over the height and width of images: which input pixel an output pixel sees
//! through which tap. Knows nothing of what is computed.

use std::ops::Range;

use tfjit_base::{Error, Result};

/// One axis of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    pub(crate) input: usize,
    pub(crate) window: usize,
    pub(crate) output: usize,
    pub(crate) stride: usize,
    pub(crate) dilation: usize,
    /// Positions in front of the input; may be negative.
    pub(crate) padding: isize,
}

/// Positions and their products stay below this.
const POSITION_MAX: usize = 1 << 40;

impl Axis {
    /// # Errors
    /// INVALID_ARGUMENT for steps of 0 and extents beyond all images.
    pub(crate) fn checked(self) -> Result<Axis> {
        let reach =
            |steps: usize, step: usize| steps.checked_mul(step).filter(|&n| n < POSITION_MAX);
        let fits = self.stride > 0
            && self.dilation > 0
            && self.input < POSITION_MAX
            && self.padding.unsigned_abs() < POSITION_MAX
            && reach(self.output, self.stride).is_some()
            && reach(self.window, self.dilation).is_some();
        if fits { Ok(self) } else { Err(Error::invalid_argument(format!("bad window: {self:?}"))) }
    }

    /// The input position of tap `k` at output `o`; outside the input in the padding.
    pub(crate) fn position(&self, o: usize, k: usize) -> isize {
        (o * self.stride + k * self.dilation) as isize - self.padding
    }

    /// The taps that meet the input at output `o`.
    pub(crate) fn taps(&self, o: usize) -> Range<usize> {
        range(self.position(o, 0), self.dilation, self.input, self.window)
    }

    /// The outputs at which tap `k` meets the input.
    pub(crate) fn outputs(&self, k: usize) -> Range<usize> {
        range(self.position(0, k), self.stride, self.input, self.output)
    }

    /// The outputs at which all taps meet the input.
    pub(crate) fn inside(&self) -> Range<usize> {
        if self.window == 0 {
            return 0..self.output;
        }
        let (first, last) = (self.outputs(0), self.outputs(self.window - 1));
        let start = first.start.max(last.start);
        start..first.end.min(last.end).max(start)
    }
}

/// The `i` below `count` for which `start + i * step` is in `0..end`.
fn range(start: isize, step: usize, end: usize, count: usize) -> Range<usize> {
    let above = |bound: isize| {
        // The first `i` with `start + i * step >= bound`.
        if start >= bound { 0 } else { ((bound - start) as usize).div_ceil(step) }
    };
    let first = above(0).min(count);
    first..above(end as isize).min(count).max(first)
}

/// Output pixels of one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) image: usize,
    pub(crate) y: usize,
    pub(crate) x: usize,
    pub(crate) len: usize,
    /// Pixels before it.
    pub(crate) before: usize,
}

/// The lines that make up `count` output pixels from pixel `first` of all images on, which are
/// `height` by `width`.
pub(crate) fn lines(
    first: usize,
    count: usize,
    height: usize,
    width: usize,
) -> impl Iterator<Item = Line> {
    let mut before = 0;
    std::iter::from_fn(move || {
        let at = first + before;
        (before < count).then(|| {
            let (line, x) = (at / width, at % width);
            let len = (width - x).min(count - before);
            let line = Line { image: line / height, y: line % height, x, len, before };
            before += len;
            line
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_follow_the_definition() {
        for stride in 1..4 {
            for dilation in 1..4 {
                for padding in -6..7 {
                    let (input, window, output) = (5, 3, 7);
                    let axis = Axis { input, window, output, stride, dilation, padding };
                    let meets = |o: usize, k: usize| {
                        let at = axis.position(o, k);
                        at >= 0 && at < input as isize
                    };
                    for o in 0..output {
                        let taps: Vec<usize> = (0..window).filter(|&k| meets(o, k)).collect();
                        assert_eq!(axis.taps(o).collect::<Vec<_>>(), taps);
                        let all = axis.inside().contains(&o);
                        assert_eq!(all, taps.len() == window, "{axis:?} {o}");
                    }
                    for k in 0..window {
                        let outputs: Vec<usize> = (0..output).filter(|&o| meets(o, k)).collect();
                        assert_eq!(axis.outputs(k).collect::<Vec<_>>(), outputs);
                    }
                }
            }
        }
    }

    #[test]
    fn lines_cross_images() {
        let all: Vec<Line> = lines(4, 5, 2, 3).collect();
        let line = |image, y, x, len, before| Line { image, y, x, len, before };
        assert_eq!(all, [line(0, 1, 1, 2, 0), line(1, 0, 0, 3, 2)]);
    }

    #[test]
    fn extents_are_checked() {
        let axis = Axis { input: 4, window: 2, output: 3, stride: 1, dilation: 1, padding: 0 };
        assert!(axis.checked().is_ok());
        assert!(Axis { stride: 0, ..axis }.checked().is_err());
        assert!(Axis { dilation: usize::MAX, ..axis }.checked().is_err());
        assert!(Axis { padding: isize::MIN, ..axis }.checked().is_err());
        assert!(Axis { output: usize::MAX / 2, ..axis }.checked().is_err());
    }
}
