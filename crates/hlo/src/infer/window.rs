//! Windows over padded and dilated dimensions: how many fit.

use tfjit_base::Result;

use super::extent::{Extent, Extents};
use super::rule::Rule;
use crate::Window;

/// One dimension of a window, all numbers checked to be in range by [`Span::all`] or its caller.
pub(super) struct Span {
    pub(super) size: Extent,
    pub(super) stride: i64,
    pub(super) base_dilation: i64,
    pub(super) window_dilation: i64,
    pub(super) padding: [i64; 2],
}

impl Span {
    /// The dimensions of `window`, which must have `rank` of them.
    pub(super) fn all(r: &Rule<'_>, window: &Window, rank: usize) -> Result<Vec<Span>> {
        let lists = [
            ("window_dimensions", &window.window_dimensions),
            ("window_strides", &window.window_strides),
            ("base_dilations", &window.base_dilations),
            ("window_dilations", &window.window_dilations),
        ];
        for (what, list) in lists {
            r.length(what, list, rank)?;
            r.at_least(what, list, 1)?;
        }
        r.length("padding", &window.padding, rank)?;
        let span = |d: usize| Span {
            size: Extent::exact(window.window_dimensions[d]),
            stride: window.window_strides[d],
            base_dilation: window.base_dilations[d],
            window_dilation: window.window_dilations[d],
            padding: window.padding[d],
        };
        Ok((0..rank).map(span).collect())
    }

    /// The number of windows along a dimension of extent `base`: C15 of `reduce_window` and C25 of
    /// `convolution`. It grows with the base and shrinks with the window.
    pub(super) fn count(&self, r: &Rule<'_>, d: usize, base: Extent) -> Result<Extent> {
        let Some(window) = self.size.size() else { return Ok(Extent::UNKNOWN) };
        let dilated = |n: i64, by: i64| match n {
            0 => 0,
            n => i128::from(n - 1) * i128::from(by) + 1,
        };
        let window = dilated(window, self.window_dilation);
        let padding = i128::from(self.padding[0]) + i128::from(self.padding[1]);
        base.map(|n| {
            let padded = dilated(n, self.base_dilation) + padding;
            let what = format!("the padded extent of dimension {d}");
            let padded = i128::from(r.extent(&what, padded)?);
            if padded == 0 || window > padded {
                return Ok(0);
            }
            r.extent("the number of windows", (padded - window) / i128::from(self.stride) + 1)
        })
    }
}

/// The numbers of windows along each of `base`.
pub(super) fn counts(r: &Rule<'_>, spans: &[Span], base: &[Extent]) -> Result<Extents> {
    spans.iter().zip(base).enumerate().map(|(d, (span, &base))| span.count(r, d, base)).collect()
}
