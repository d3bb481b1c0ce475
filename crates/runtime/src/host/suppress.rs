//! Non-maximum suppression: the best boxes of those that overlap, in TensorFlow's order.

use std::collections::BinaryHeap;

use tfjit_base::{DType, Error, Result, Shape, Tensor, bf16, f16};
use tfjit_model::Node;

use super::HostRow;
use super::tensors::{int, pure, tensor};
use crate::{Kernel, Value};

pub(super) const ROWS: &[HostRow] = &[
    row("NonMaxSuppression"),
    row("NonMaxSuppressionV2"),
    row("NonMaxSuppressionV3"),
    row("NonMaxSuppressionV4"),
    row("NonMaxSuppressionV5"),
    HostRow {
        name: "NonMaxSuppressionWithOverlaps",
        doc: "the best boxes of those that overlap, by given overlaps",
        make,
    },
];

const fn row(name: &'static str) -> HostRow {
    HostRow { name, doc: "the best boxes of those that overlap", make }
}

/// How a node of the family selects.
#[derive(Clone, Copy)]
struct Form {
    /// 1 to 5; the one with overlaps is like 3.
    version: u8,
    /// Of the first version.
    iou: f32,
    pad: bool,
    overlaps: bool,
}

fn make(node: &Node) -> Result<Box<dyn Kernel>> {
    let overlaps = node.op.ends_with("Overlaps");
    let version = match node.op.chars().next_back() {
        Some(last @ '2'..='5') => last as u8 - b'0',
        _ if overlaps => 3,
        _ => 1,
    };
    let iou = if version == 1 { node.attr_float("iou_threshold")? } else { 0.5 };
    let form = Form { version, iou, pad: node.flag("pad_to_max_output_size"), overlaps };
    pure("NonMaxSuppression", move |inputs| form.run(inputs))
}

/// A box that may be selected; the best one comes first, of equal ones the first one.
#[derive(PartialEq)]
struct Candidate {
    score: f32,
    index: usize,
    /// Selected boxes before this one have had their effect.
    seen: usize,
}

impl Eq for Candidate {}

impl Ord for Candidate {
    fn cmp(&self, other: &Candidate) -> std::cmp::Ordering {
        self.score.total_cmp(&other.score).then(other.index.cmp(&self.index))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Candidate) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

fn floats(t: &Tensor) -> Result<Vec<f32>> {
    Ok(t.to_f64s()?.into_iter().map(|x| x as f32).collect())
}

fn scalar(inputs: &[Value], at: usize) -> Result<f32> {
    let t = tensor(inputs, at)?;
    match floats(t)?[..] {
        [x] => Ok(x),
        _ => {
            Err(Error::invalid_argument(format!("input {at} must be 0-D, got shape {}", t.shape())))
        }
    }
}

impl Form {
    fn run(&self, inputs: &[Value]) -> Result<Vec<Tensor>> {
        let (boxes, scores) = (tensor(inputs, 0)?, tensor(inputs, 1)?);
        let n = scores.elements();
        let want = if self.overlaps { n } else { 4 };
        if scores.shape().rank() != 1 || boxes.shape().dims() != [n, want] {
            return Err(Error::invalid_argument(format!(
                "boxes must be [n, {}] and scores [n], got shapes {} and {}",
                if self.overlaps { "n" } else { "4" },
                boxes.shape(),
                scores.shape()
            )));
        }
        let most = usize::try_from(int(inputs, 2)?)
            .map_err(|_| Error::invalid_argument("output size must be non-negative"))?;
        let iou = if self.version == 1 { self.iou } else { scalar(inputs, 3)? };
        if !self.overlaps && !(0.0..=1.0).contains(&iou) {
            return Err(Error::invalid_argument("iou_threshold must be in [0, 1]"));
        }
        let least = if self.version >= 3 { scalar(inputs, 4)? } else { f32::MIN };
        let sigma = if self.version == 5 { scalar(inputs, 5)? } else { 0.0 };
        if sigma < 0.0 {
            return Err(Error::invalid_argument("soft_nms_sigma_value must be non-negative"));
        }
        let boxes = floats(boxes)?;
        let alike = |a: usize, b: usize| match self.overlaps {
            true => boxes[a * n + b],
            false => overlap(&boxes[a * 4..a * 4 + 4], &boxes[b * 4..b * 4 + 4]),
        };
        let scores_in = floats(scores)?;
        let selected = select(&scores_in, most.min(n), iou, least, sigma, alike);
        self.results(selected, most, scores.dtype())
    }

    fn results(
        &self,
        selected: Vec<(usize, f32)>,
        most: usize,
        dtype: DType,
    ) -> Result<Vec<Tensor>> {
        let valid = selected.len() as i32;
        let (mut indices, mut scores): (Vec<i32>, Vec<f32>) =
            selected.into_iter().map(|(index, score)| (index as i32, score)).unzip();
        if self.pad {
            indices.resize(most, 0);
            scores.resize(most, 0.0);
        }
        let shape = Shape::new(&[indices.len()]);
        let mut out = vec![Tensor::from_slice(shape.clone(), &indices)?];
        if self.version == 5 {
            out.push(match dtype {
                DType::F16 => {
                    let halves: Vec<f16> = scores.iter().map(|&x| f16::from_f32(x)).collect();
                    Tensor::from_slice(shape, &halves)?
                }
                DType::BF16 => {
                    let halves: Vec<bf16> = scores.iter().map(|&x| bf16::from_f32(x)).collect();
                    Tensor::from_slice(shape, &halves)?
                }
                _ => Tensor::from_slice(shape, &scores)?,
            });
        }
        if self.version >= 4 {
            out.push(Tensor::scalar(valid));
        }
        Ok(out)
    }
}

/// Intersection over union of two boxes, each two opposite corners.
fn overlap(a: &[f32], b: &[f32]) -> f32 {
    let corners = |c: &[f32]| (c[0].min(c[2]), c[1].min(c[3]), c[0].max(c[2]), c[1].max(c[3]));
    let (a, b) = (corners(a), corners(b));
    let area = |c: (f32, f32, f32, f32)| (c.2 - c.0) * (c.3 - c.1);
    if area(a) <= 0.0 || area(b) <= 0.0 {
        return 0.0;
    }
    let height = (a.2.min(b.2) - a.0.max(b.0)).max(0.0);
    let width = (a.3.min(b.3) - a.1.max(b.1)).max(0.0);
    let both = height * width;
    both / (area(a) + area(b) - both)
}

/// Boxes with their scores, at most `most`. With a `sigma` overlapping boxes lose score instead of
/// being dropped (Bodla et al., Soft-NMS).
fn select(
    scores: &[f32],
    most: usize,
    iou: f32,
    least: f32,
    sigma: f32,
    alike: impl Fn(usize, usize) -> f32,
) -> Vec<(usize, f32)> {
    let soft = sigma > 0.0;
    let weight = |similarity: f32| match soft {
        true => (-0.5 / sigma * similarity * similarity).exp(),
        false if similarity <= iou => 1.0,
        false => 0.0,
    };
    let wanted = scores.iter().enumerate().filter(|(_, score)| **score > least);
    let mut heap: BinaryHeap<Candidate> =
        wanted.map(|(index, &score)| Candidate { score, index, seen: 0 }).collect();
    let mut selected: Vec<(usize, f32)> = Vec::new();
    while selected.len() < most
        && let Some(mut next) = heap.pop()
    {
        let original = next.score;
        let mut dropped = false;
        for &(other, _) in selected[next.seen..].iter().rev() {
            let similarity = alike(next.index, other);
            next.score *= weight(similarity);
            if !soft && similarity > iou {
                dropped = true;
                break;
            }
            if next.score <= least {
                break;
            }
        }
        next.seen = selected.len();
        if dropped {
            continue;
        }
        if next.score == original {
            selected.push((next.index, next.score));
        } else if next.score > least {
            heap.push(next);
        }
    }
    selected
}
