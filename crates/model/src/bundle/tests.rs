//! Checkpoints as TensorFlow wrote them (`testdata/checkpoints`), and our own read back.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use tfjit_base::{Code, Shape};

use super::*;
use super::{shards, table_writer};
use tfjit_base::{DType, Tensor};

mod hostile;

const ALL: [&str; 5] = ["plain", "strings", "partitioned", "shards", "many"];

fn testdata(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/checkpoints").join(name)
}

/// A folder that is gone after the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let n = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("tfjit-bundle-{}-{n}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    /// A copy of a checkpoint of the test data; its prefix.
    fn copy(&self, name: &str) -> PathBuf {
        for file in fs::read_dir(testdata("")).unwrap() {
            let path = file.unwrap().path();
            let base = path.file_name().unwrap();
            if base.to_string_lossy().starts_with(&format!("{name}.")) {
                fs::copy(&path, self.0.join(base)).unwrap();
            }
        }
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

fn percent_decode(text: &str) -> Vec<u8> {
    let mut parts = text.split('%');
    let mut out = parts.next().unwrap().as_bytes().to_vec();
    for part in parts {
        out.push(u8::from_str_radix(&part[..2], 16).unwrap());
        out.extend_from_slice(&part.as_bytes()[2..]);
    }
    out
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn print(tensor: &Tensor) -> String {
    let data = match tensor.as_strings() {
        None => hex(tensor.bytes()),
        Some(values) => {
            let values = values.iter().map(|v| if v.is_empty() { ".".into() } else { hex(v) });
            values.collect::<Vec<String>>().join(",")
        }
    };
    format!("{} {} {data}", tensor.dtype(), tensor.shape())
}

/// Compares every line of `NAME.txt` with what `bundle` gives for its key and slice.
fn check_golden(name: &str, bundle: &Bundle) {
    let text = fs::read_to_string(testdata(&format!("{name}.txt"))).unwrap();
    for line in text.lines() {
        let [key, slice, want] = line.splitn(3, ' ').collect::<Vec<_>>().try_into().unwrap();
        let slice = if slice == "-" { Vec::new() } else { percent_decode(slice) };
        let slice = String::from_utf8(slice).unwrap();
        let tensor = bundle.slice(percent_decode(key), &slice).unwrap();
        assert_eq!(print(&tensor), want, "{name}: {key} {slice}");
    }
}

#[test]
fn tensorflows_checkpoints_are_read() {
    for name in ALL {
        let bundle = Bundle::open_with(&testdata(name), Options { verify: true }).unwrap();
        check_golden(name, &bundle);
    }
}

#[test]
fn keys_are_names_only() {
    let bundle = Bundle::open(&testdata("partitioned")).unwrap();
    let keys: Vec<_> = bundle.keys().map(|k| k.escape_ascii().to_string()).collect();
    assert_eq!(keys, ["grid", "hole", "long", "plain", "rows"]);
    assert!(bundle.entry("rows").unwrap().is_partitioned());
    assert_eq!(bundle.entry("rows").unwrap().shape(), &Shape::new(&[10, 6]));
    assert_eq!(bundle.entry("plain").unwrap().dtype(), Some(DType::I32));
    assert!(bundle.entry("").is_none());
    let slice = bundle.rows.iter().find(|(k, _)| k.first() == Some(&0)).unwrap();
    assert!(bundle.entry(&slice.0).is_none());
    assert_eq!(bundle.tensor("nothing").unwrap_err().code(), Code::NotFound);
    assert_eq!(Bundle::open(&testdata("shards")).unwrap().num_shards(), 3);
}

#[test]
fn wrong_slices_are_refused() {
    let bundle = Bundle::open(&testdata("partitioned")).unwrap();
    for (key, spec, want) in [
        ("rows", "10 7 -:-", "is not the stored shape [10,6]"),
        ("rows", "10 6 -", "does not have the rank"),
        ("rows", "10 6 9,2:-", "does not lie within"),
        ("rows", "10 6", "'-' or 'start,length'"),
        ("rows", "rows", "does not give a shape"),
        ("hole", "", "do not cover"),
        ("hole", "4 2 1,2:-", "do not cover"),
    ] {
        let e = bundle.slice(key, spec).unwrap_err();
        assert_eq!((e.code(), e.node()), (Code::InvalidArgument, Some(key)), "{e}");
        assert!(e.to_string().contains(want), "{e}");
    }
}

#[test]
fn every_number_of_slices_is_tiled() {
    // Slices of slices of the grid: each must equal the cut of the whole.
    let bundle = Bundle::open(&testdata("partitioned")).unwrap();
    let whole = bundle.tensor("grid").unwrap().to_vec::<i32>().unwrap();
    for (r, c) in (0..4).flat_map(|r| (0..6).map(move |c| (r, c))) {
        for (h, w) in (1..=4 - r).flat_map(|h| (1..=6 - c).map(move |w| (h, w))) {
            let part = bundle.slice("grid", &format!("4 6 {r},{h}:{c},{w}")).unwrap();
            let want: Vec<i32> = (0..h * w).map(|i| whole[(r + i / w) * 6 + c + i % w]).collect();
            assert_eq!(part.to_vec::<i32>().unwrap(), want, "{r},{h}:{c},{w}");
        }
    }
}

fn samples() -> Vec<(String, Tensor)> {
    let mut out = vec![
        ("s".to_owned(), Tensor::strings(Shape::new(&[2]), vec![vec![0, 255], vec![]]).unwrap()),
        ("z".to_owned(), Tensor::zeros(DType::F32, Shape::new(&[0, 4])).unwrap()),
        ("big".to_owned(), Tensor::from_slice(Shape::new(&[40_000]), &[1.5f32; 40_000]).unwrap()),
        ("i4".to_owned(), Tensor::from_raw(DType::I4, Shape::new(&[2]), &[0xf8, 7]).unwrap()),
    ];
    for i in 0..100u8 {
        let t = Tensor::from_slice(Shape::new(&[i.into()]), &vec![i; i.into()]).unwrap();
        out.push((format!("layer_{i}/bias"), t));
    }
    out
}

#[test]
fn what_is_written_is_read() {
    let dir = Scratch::new();
    let prefix = dir.0.join("ckpt.v1");
    let samples = samples();
    write(&prefix, &samples).unwrap();
    let bundle = Bundle::open_with(&prefix, Options { verify: true }).unwrap();
    assert_eq!(bundle.keys().count(), samples.len());
    for (key, tensor) in &samples {
        assert!(bundle.tensor(key).unwrap() == *tensor, "{key}");
    }
    let names = fs::read_dir(&dir.0).unwrap().count();
    assert_eq!(names, 2, "no temporary file is left");
}

#[test]
fn aligned_tensors_stay_mapped() {
    let dir = Scratch::new();
    let prefix = dir.0.join("c");
    write(&prefix, &samples()).unwrap();
    let bundle = Bundle::open(&prefix).unwrap();
    let (a, b) = (bundle.tensor("big").unwrap(), bundle.tensor("big").unwrap());
    assert_eq!(a.bytes().as_ptr(), b.bytes().as_ptr());
    assert_eq!(a.bytes().as_ptr() as usize % 64, 0);
    // One that begins at an odd offset is copied, to an aligned place.
    let plain = Bundle::open(&testdata("plain")).unwrap();
    let odd = plain.entries().find(|(_, e)| e.offset % 4 != 0 && e.dtype == Some(DType::F32));
    let odd = plain.tensor(odd.unwrap().0).unwrap();
    assert_eq!(odd.bytes().as_ptr() as usize % 64, 0);
}

#[test]
fn bad_keys_are_not_written() {
    let dir = Scratch::new();
    let t = Tensor::scalar(1.0f32);
    let try_write = |keys: &[&str]| {
        let rows: Vec<_> = keys.iter().map(|&k| (k, t.clone())).collect();
        write(&dir.0.join("c"), &rows).map_err(|e| e.code())
    };
    for keys in [&[""][..], &["\0a"], &["a", "a"], &["x".repeat(70_000).as_str()]] {
        assert_eq!(try_write(keys), Err(Code::InvalidArgument));
    }
    assert_eq!(try_write(&[]), Ok(()));
    assert_eq!(Bundle::open(&dir.0.join("c")).unwrap().keys().count(), 0);
    let unknown = Tensor::zeros(DType::F8E3M4, Shape::scalar()).unwrap();
    let e = write(&dir.0.join("d"), &[("k", unknown)]).unwrap_err();
    assert_eq!((e.code(), e.node()), (Code::Unimplemented, Some("k")));
    assert!(write(&dir.0.join("no/such/folder/c"), &[("k", t.clone())]).is_err());
    assert_eq!(fs::read_dir(&dir.0).unwrap().count(), 2, "no temporary file is left");
}

#[test]
fn missing_files_are_named() {
    let e = Bundle::open(&testdata("plain.index")).err().unwrap();
    assert_eq!(e.code(), Code::NotFound);
    assert!(e.hint().unwrap().contains("without .index"), "{e}");
    let dir = Scratch::new();
    let prefix = dir.copy("shards");
    fs::remove_file(shards::data_path(&prefix, 1, 3)).unwrap();
    let e = Bundle::open(&prefix).err().unwrap();
    assert_eq!(e.code(), Code::NotFound);
    assert!(e.to_string().contains("shards.data-00001-of-00003"), "{e}");
    assert!(e.others().is_empty(), "a missing file is reported once: {e}");
}
