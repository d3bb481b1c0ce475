//! Images as tensors in the layout batch, height, width, channels.
//!
//! Sizes are those of the input; where it leaves them open, those of the image. Scaling is
//! bilinear with half-pixel centres and without filtering, as `tf.image.resize` does.

use std::io::Cursor;

use image::{DynamicImage, ImageReader, Limits};
use tfjit_base::{DType, DTypeClass, Error, Result, Shape, Tensor, limits};

use super::Slot;
use super::cast::{float_tensor, int_tensor};

/// File name extensions that are taken for images.
pub(super) const EXTENSIONS: &[&str] = &["png", "jpg", "jpeg", "gif", "bmp"];

/// What the pixels 0 and 255 become where an input is floating-point.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct PixelRange {
    low: f64,
    high: f64,
}

impl Default for PixelRange {
    fn default() -> PixelRange {
        PixelRange { low: 0.0, high: 1.0 }
    }
}

impl PixelRange {
    /// Reads `0..255` or `-1..1`.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for anything else.
    pub(crate) fn parse(text: &str) -> Result<PixelRange> {
        let number = |part: &str| part.trim().parse::<f64>().ok().filter(|v| v.is_finite());
        text.split_once("..")
            .and_then(|(low, high)| Some(PixelRange { low: number(low)?, high: number(high)? }))
            .ok_or_else(|| {
                Error::invalid_argument(format!("{text:?} is no range: write 0..1 or -1..1"))
            })
    }
}

/// Pixels from 0 to 255, row by row.
struct Pixels {
    height: usize,
    width: usize,
    channels: usize,
    values: Vec<f32>,
}

/// The image in `bytes` as the value of `slot`.
///
/// # Errors
/// INVALID_ARGUMENT for a broken image or an input that cannot take one, RESOURCE_EXHAUSTED above
/// [`limits::IMAGE_PIXELS_MAX`].
pub(super) fn decode(bytes: &[u8], slot: &Slot, range: PixelRange) -> Result<Tensor> {
    let unfit = |what: String| {
        Error::invalid_argument(what)
            .help("images fill inputs of shape [batch, height, width, channels]")
    };
    let dims = slot.shape.dims().map(<[_]>::to_vec).unwrap_or_else(|| vec![None; 4]);
    let (batch, [height, width, channels]) = match dims.as_slice() {
        [n, h, w, c] => (Some(*n), [*h, *w, *c]),
        [h, w, c] => (None, [*h, *w, *c]),
        _ => return Err(unfit(format!("an image does not fit the shape {}", slot.shape))),
    };
    if !matches!(batch, None | Some(None | Some(1))) {
        return Err(unfit(format!("one image does not fill the batch of {}", slot.shape)));
    }
    let channels = channels.unwrap_or(3);
    if !matches!(channels, 1 | 3 | 4) {
        return Err(unfit(format!(
            "an image has 1, 3 or 4 channels, the input {} takes {channels}",
            slot.shape
        )));
    }
    let pixels = read_pixels(bytes, channels)?;
    let (height, width) = (height.unwrap_or(pixels.height), width.unwrap_or(pixels.width));
    if (height as u64).saturating_mul(width as u64) > limits::IMAGE_PIXELS_MAX {
        return Err(Error::resource_exhausted(format!("an image of {width} by {height} pixels")));
    }
    let pixels = resize(pixels, height, width)?;
    let shape = match batch {
        Some(_) => Shape::new(&[1, height, width, channels]),
        None => Shape::new(&[height, width, channels]),
    };
    to_tensor(slot.dtype, shape, &pixels.values, range)
}

fn read_pixels(bytes: &[u8], channels: usize) -> Result<Pixels> {
    let broken = |e: image::ImageError| match e {
        image::ImageError::Limits(_) => Error::resource_exhausted(e.to_string()),
        image::ImageError::Unsupported(_) => Error::unimplemented(e.to_string()),
        e => Error::invalid_argument(format!("the image cannot be read: {e}")),
    };
    let reader = || {
        let mut reader = ImageReader::new(Cursor::new(bytes))
            .with_guessed_format()
            .map_err(|e| Error::invalid_argument(e.to_string()))?;
        let mut caps = Limits::default();
        caps.max_alloc = Some(limits::IMAGE_PIXELS_MAX * 4);
        reader.limits(caps);
        Ok::<_, Error>(reader)
    };
    // The size is checked before a decoder allocates for it.
    let (width, height) = reader()?.into_dimensions().map_err(broken)?;
    if u64::from(width) * u64::from(height) > limits::IMAGE_PIXELS_MAX {
        return Err(Error::resource_exhausted(format!("an image of {width} by {height} pixels")));
    }
    let image = reader()?.decode().map_err(broken)?;
    let bytes = match channels {
        1 => DynamicImage::into_luma8(image).into_raw(),
        3 => image.into_rgb8().into_raw(),
        _ => image.into_rgba8().into_raw(),
    };
    Ok(Pixels {
        height: height as usize,
        width: width as usize,
        channels,
        values: bytes.into_iter().map(f32::from).collect(),
    })
}

/// Two neighbours of a sampling point and the weight of the second.
fn taps(from: usize, to: usize) -> Vec<(usize, usize, f32)> {
    let scale = from as f32 / to as f32;
    (0..to)
        .map(|i| {
            let at = ((i as f32 + 0.5) * scale - 0.5).max(0.0);
            let low = (at.floor() as usize).min(from - 1);
            (low, (low + 1).min(from - 1), at - at.floor())
        })
        .collect()
}

fn resize(from: Pixels, height: usize, width: usize) -> Result<Pixels> {
    if (from.height, from.width) == (height, width) {
        return Ok(from);
    }
    if from.height == 0 || from.width == 0 {
        return Err(Error::invalid_argument("the image has no pixels"));
    }
    let columns = taps(from.width, width);
    let channels = from.channels;
    let mut values = Vec::with_capacity(height * width * channels);
    for (top, bottom, down) in taps(from.height, height) {
        let row = |y: usize| &from.values[y * from.width * channels..][..from.width * channels];
        let (top, bottom) = (row(top), row(bottom));
        for &(left, right, across) in &columns {
            for c in 0..channels {
                let mix = |row: &[f32]| {
                    let (l, r) = (row[left * channels + c], row[right * channels + c]);
                    l + (r - l) * across
                };
                let (t, b) = (mix(top), mix(bottom));
                values.push(t + (b - t) * down);
            }
        }
    }
    Ok(Pixels { height, width, channels, values })
}

fn to_tensor(dtype: DType, shape: Shape, pixels: &[f32], range: PixelRange) -> Result<Tensor> {
    match dtype.class() {
        DTypeClass::Float => {
            let scale = (range.high - range.low) / 255.0;
            let values: Vec<f64> =
                pixels.iter().map(|&p| range.low + f64::from(p) * scale).collect();
            float_tensor(dtype, shape, &values)
        }
        DTypeClass::Signed | DTypeClass::Unsigned => {
            let values: Vec<i128> = pixels.iter().map(|&p| p.round() as i128).collect();
            int_tensor(dtype, shape, &values)
        }
        _ => Err(Error::invalid_argument(format!("an image is no value of type {dtype}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tfjit_base::PartialShape;

    /// A grey BMP of 2 by 1 pixels, black and white.
    fn bmp() -> Vec<u8> {
        let mut bytes = Vec::new();
        image::RgbImage::from_raw(2, 1, vec![0, 0, 0, 255, 255, 255])
            .unwrap()
            .write_to(&mut Cursor::new(&mut bytes), image::ImageFormat::Bmp)
            .unwrap();
        bytes
    }

    fn slot(dtype: DType, dims: &[Option<usize>]) -> Slot {
        Slot { name: "x".into(), dtype, shape: PartialShape::new(dims.to_vec()) }
    }

    #[test]
    fn pixels_fill_the_input() {
        let check = |dtype, dims: &[Option<usize>], range: &str, want: &[f64]| {
            let range = PixelRange::parse(range).unwrap();
            let t = decode(&bmp(), &slot(dtype, dims), range).unwrap();
            assert_eq!(t.to_f64s().unwrap(), want);
            t.shape().dims().to_vec()
        };
        let free = [None; 4];
        assert_eq!(
            check(DType::U8, &free, "0..1", &[0.0, 0.0, 0.0, 255.0, 255.0, 255.0]),
            [1, 1, 2, 3]
        );
        let grey = [None, Some(1), Some(3), Some(1)];
        // tf.image.resize([[[0.], [255.]]], [1, 3]) is 0, 127.5, 255.
        assert_eq!(check(DType::F32, &grey, "-1..1", &[-1.0, 0.0, 1.0]), [1, 1, 3, 1]);
        assert_eq!(check(DType::I32, &grey[1..], "0..1", &[0.0, 128.0, 255.0]), [1, 3, 1]);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let fails = |bytes: &[u8], dtype, dims: &[Option<usize>]| {
            assert!(decode(bytes, &slot(dtype, dims), PixelRange::default()).is_err());
        };
        fails(&bmp(), DType::F32, &[None, None]);
        fails(&bmp(), DType::F32, &[Some(2), None, None, Some(3)]);
        fails(&bmp(), DType::F32, &[None, None, None, Some(2)]);
        fails(&bmp(), DType::F32, &[None, Some(1 << 20), Some(1 << 20), Some(3)]);
        fails(&bmp(), DType::Bool, &[None; 4]);
        fails(&bmp()[..20], DType::F32, &[None; 4]);
        fails(b"no image", DType::F32, &[None; 4]);
        let mut huge = bmp();
        huge[18..22].copy_from_slice(&i32::MAX.to_le_bytes());
        huge[22..26].copy_from_slice(&i32::MAX.to_le_bytes());
        fails(&huge, DType::F32, &[None; 4]);
    }
}
