//! Writes down the notes of a recording with Basic Pitch (Bittner et al. 2022), a real SavedModel.
//!
//! ```text
//! cargo run --release --example transcribe -- testdata/chord.wav
//! ```
//!
//! The model takes 43844 samples at 22050 Hz and gives, for 172 frames and the 88 keys of a piano,
//! how likely a note begins (`onset`) and sounds (`note`).
#![allow(clippy::print_stdout, reason = "an example prints what it finds")]

use std::error::Error;
use std::path::Path;

use tfjit::{Model, Options, Shape, Tensor};

const RATE: usize = 22050;
const WINDOW: usize = 43844;
const HOP: usize = 256;
const FRAMES: usize = 172;
const KEYS: usize = 88;
/// Frames that neighbouring windows share; the outer half of them is thrown away on each side.
const SHARED: usize = 30;
/// MIDI number of the lowest key.
const LOWEST: usize = 21;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "testdata/chord.wav".to_owned());
    let samples = read_wav(Path::new(&path))?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/basic_pitch");
    let model = Model::read(&folder.join("saved_model"), &Default::default())?;
    let signature = model.session(&Options::default())?.signature("serving_default")?;

    let (mut onset, mut note) = (Vec::new(), Vec::new());
    let step = WINDOW - SHARED * HOP;
    let lead = SHARED / 2 * HOP;
    for first in (0..samples.len() + lead).step_by(step) {
        // Silence stands in front of the first sample, so that the first window starts with it.
        let at = |i: usize| (first + i).checked_sub(lead).and_then(|j| samples.get(j).copied());
        let window: Vec<f32> = (0..WINDOW).map(|i| at(i).unwrap_or(0.0)).collect();
        let x = Tensor::from_slice(Shape::new(&[1, WINDOW, 1]), &window)?;
        let outputs = signature.run(&[("input_2", x)])?;
        for (name, frames) in [("onset", &mut onset), ("note", &mut note)] {
            let values =
                outputs.get(name).ok_or("the model has another output")?.to_vec::<f32>()?;
            let kept = SHARED / 2 * KEYS..(FRAMES - SHARED / 2) * KEYS;
            frames.extend_from_slice(&values[kept]);
        }
    }

    let mut found = notes(&onset, &note);
    found.retain(|n| n.start < samples.len() as f32 / RATE as f32);
    println!("{path}: {:.1} s, {} notes", samples.len() as f32 / RATE as f32, found.len());
    for n in found {
        println!("{:5.2} s to {:5.2} s  {:3}  {:3.0} %", n.start, n.end, n.name, 100.0 * n.level);
    }
    Ok(())
}

struct Note {
    start: f32,
    end: f32,
    name: String,
    level: f32,
}

/// A note begins where `onset` has a peak and lasts while `note` stays up.
fn notes(onset: &[f32], note: &[f32]) -> Vec<Note> {
    let frames = onset.len() / KEYS;
    let mut found = Vec::new();
    for key in 0..KEYS {
        let at = |values: &[f32], frame: usize| values[frame * KEYS + key];
        let mut frame = 1;
        while frame + 1 < frames {
            let here = at(onset, frame);
            let peak = here >= at(onset, frame - 1) && here > at(onset, frame + 1);
            if here < 0.5 || !peak {
                frame += 1;
                continue;
            }
            let start = frame;
            while frame + 1 < frames && at(note, frame) > 0.3 {
                frame += 1;
            }
            if frame - start > 10 {
                let level = (start..frame).map(|f| at(note, f)).sum::<f32>();
                found.push(Note {
                    start: seconds(start),
                    end: seconds(frame),
                    name: name(LOWEST + key),
                    level: level / (frame - start) as f32,
                });
            }
            frame += 1;
        }
    }
    found.sort_by(|a, b| a.start.total_cmp(&b.start));
    found
}

fn seconds(frame: usize) -> f32 {
    (frame * HOP) as f32 / RATE as f32
}

fn name(midi: usize) -> String {
    const NAMES: [&str; 12] = ["C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"];
    format!("{}{}", NAMES[midi % 12], midi / 12 - 1)
}

/// The samples of a 16-bit mono WAV file at 22050 Hz, between -1 and 1.
fn read_wav(path: &Path) -> Result<Vec<f32>, Box<dyn Error>> {
    let bytes = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let word = |at: usize| bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes);
    let half = |at: usize| bytes.get(at..at + 2)?.try_into().ok().map(u16::from_le_bytes);
    if !bytes.starts_with(b"RIFF") || bytes.get(8..12) != Some(b"WAVE") {
        return Err(format!("{} is no WAV file", path.display()).into());
    }
    let mut at = 12;
    while let Some(length) = word(at + 4) {
        let body = at + 8;
        match &bytes[at..at + 4] {
            b"fmt " => {
                let format = (half(body), half(body + 2), word(body + 4), half(body + 14));
                if format != (Some(1), Some(1), Some(RATE as u32), Some(16)) {
                    return Err("the file must be 16-bit mono at 22050 Hz".into());
                }
            }
            b"data" => {
                let end = bytes.len().min(body + length as usize);
                let samples = bytes[body..end].chunks_exact(2);
                return Ok(samples
                    .map(|s| f32::from(i16::from_le_bytes([s[0], s[1]])) / 32768.0)
                    .collect());
            }
            _ => {}
        }
        at = body + length as usize + length as usize % 2;
    }
    Err(format!("{} has no samples", path.display()).into())
}
