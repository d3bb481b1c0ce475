//! Damaged and malicious checkpoints: an error, never a crash, a hang or a large allocation.

use tfjit_proto::tensorflow::{
    BundleEntryProto, TensorShapeProto, TensorSliceProto, VersionDef,
    tensor_shape_proto::Dim,
    tensor_slice_proto::{Extent, extent::HasLengthHack},
};
use tfjit_proto::wire;

use super::table_writer::{Layout, TableWriter};
use super::*;

type Rows = Vec<(Vec<u8>, Vec<u8>)>;

fn rows(name: &str) -> Rows {
    let file = fs::read(testdata(&format!("{name}.index"))).unwrap();
    let mut out = Vec::new();
    table::for_each(&file, |k, v| {
        out.push((k.to_vec(), v.to_vec()));
        Ok(())
    })
    .unwrap();
    out
}

fn seal(rows: &Rows, layout: Layout) -> Vec<u8> {
    let mut table = TableWriter::new(layout);
    for (key, value) in rows {
        table.add(key, value);
    }
    table.finish()
}

fn parse(name: &str, index: &[u8]) -> Result<Bundle> {
    Bundle::parse(&testdata(name), index, Options { verify: true })
}

/// Reads everything there is.
fn exhaust(bundle: &Bundle) {
    for key in bundle.keys() {
        let _ = bundle.tensor(key);
    }
}

/// A xorshift generator: the same numbers every time.
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

#[test]
fn every_flipped_byte_is_noticed() {
    for name in ALL {
        let good = fs::read(testdata(&format!("{name}.index"))).unwrap();
        let covered = good.len() - table::FOOTER_BYTES;
        for at in 0..good.len() {
            for bit in 0..8 {
                let mut bad = good.clone();
                bad[at] ^= 1 << bit;
                match parse(name, &bad) {
                    Err(_) => {}
                    Ok(_) if at < covered => panic!("{name}: byte {at} bit {bit} passed"),
                    Ok(bundle) => check_golden(name, &bundle),
                }
            }
        }
    }
}

#[test]
fn every_cut_is_noticed() {
    for name in ALL {
        let good = fs::read(testdata(&format!("{name}.index"))).unwrap();
        for end in 0..good.len() {
            assert_eq!(parse(name, &good[..end]).err().map(|e| e.code()), Some(Code::DataLoss));
        }
    }
}

#[test]
fn resealed_mutants_never_panic() {
    let mut seeded = Seeded(0x9e37_79b9_7f4a_7c15);
    let mut accepted = 0;
    for name in ALL {
        let good = rows(name);
        for _ in 0..3000 {
            let mut bad = good.clone();
            for _ in 0..=seeded.below(3) {
                let row = seeded.below(bad.len());
                let part = if seeded.below(4) == 0 { &mut bad[row].0 } else { &mut bad[row].1 };
                let at = seeded.below(part.len() + 1);
                match seeded.below(4) {
                    0 => part.truncate(at),
                    1 => part.insert(at, seeded.below(256) as u8),
                    _ => part.iter_mut().skip(at).take(1).for_each(|b| *b ^= 1 << seeded.below(8)),
                }
            }
            if let Ok(bundle) = parse(name, &seal(&bad, Layout::default())) {
                accepted += 1;
                exhaust(&bundle);
            }
        }
    }
    assert!(accepted > 100, "mutations reach the readers of tensors: {accepted}");
}

#[test]
fn layouts_do_not_matter() {
    for name in ALL {
        for (block_bytes, restart_interval, snappy) in [
            (1, 1, false),
            (64, 2, false),
            (1 << 20, 1000, false),
            (1 << 20, 16, true),
            (90, 3, true),
        ] {
            let index = seal(&rows(name), Layout { block_bytes, restart_interval, snappy });
            check_golden(name, &parse(name, &index).unwrap());
        }
    }
}

#[test]
fn broken_tables_are_refused() {
    let good = rows("many");
    let sealed = |rows: &Rows| parse("many", &seal(rows, Layout::default()));
    let small = |rows: &Rows| {
        parse("many", &seal(rows, Layout { block_bytes: 1, restart_interval: 1, snappy: false }))
    };
    let doubled = [&good[..2], &good[1..]].concat();
    let mut swapped = good.clone();
    swapped.swap(3, 4);
    let headless = good[1..].to_vec();
    let key = |bytes: Vec<u8>| vec![good[0].clone(), (bytes, good[1].1.clone())];
    let value = vec![good[0].clone(), (b"k".to_vec(), vec![0x4a; 2 << 20])];
    for (got, want) in [
        (sealed(&doubled), "model/block_000/kernel occurs twice"),
        (small(&doubled), "model/block_000/kernel occurs twice"),
        (sealed(&swapped), "model/block_002/kernel is out of order"),
        (small(&swapped), "model/block_002/kernel is in the wrong block"),
        (sealed(&headless), "the index has no header"),
        (sealed(&Vec::new()), "the index has no header"),
        (sealed(&key(vec![b'k'; 70_000])), "an index key is longer than 65536 bytes"),
        (sealed(&value), "an index value is longer than 1048576 bytes"),
        (parse("many", b"TFL3"), "it is too short"),
        (parse("many", &[7; 100]), "the magic number"),
    ] {
        let e = got.err().map_or_else(String::new, |e| e.to_string());
        assert!(e.contains(want), "{want}: {e}");
    }
}

/// An index of one packed block, whose content is `packed`.
fn packed_index(method: u8, packed: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut block = |method: u8, body: &[u8]| {
        let mut handle = Vec::new();
        wire::varint(file.len() as u64, &mut handle);
        wire::varint(body.len() as u64, &mut handle);
        let start = file.len();
        file.extend_from_slice(body);
        file.push(method);
        let crc = coding::masked_crc(&file[start..]);
        file.extend_from_slice(&crc.to_le_bytes());
        handle
    };
    let data = block(method, packed);
    let meta = block(table::RAW, &[0, 0, 0, 0]);
    let mut index = vec![0, 1, data.len() as u8, b'k'];
    index.extend_from_slice(&data);
    index.extend_from_slice(&[0, 0, 0, 0, 1, 0, 0, 0]);
    let index = block(table::RAW, &index);
    let mut footer = [meta, index].concat();
    footer.resize(table::FOOTER_BYTES - 8, 0);
    file.extend_from_slice(&footer);
    file.extend_from_slice(&table::MAGIC.to_le_bytes());
    file
}

#[test]
fn snappy_bombs_are_refused() {
    // Claims 4 GiB, 63 MiB of zeros by a lie, and an honest 80 MiB.
    let zeros = snap::raw::Encoder::new().compress_vec(&vec![0; 80 << 20]).unwrap();
    for (method, packed, want) in [
        (table::SNAPPY, &[0xff, 0xff, 0xff, 0xff, 0x0f][..], "cannot make a block"),
        (table::SNAPPY, &[0x80, 0x80, 0xc0, 0x1f, 0, 0], "cannot make a block"),
        (table::SNAPPY, &zeros, "above the limit"),
        (table::SNAPPY, &[], "cannot be unpacked"),
        (table::SNAPPY, &[4, 0xff], "cannot be unpacked"),
        (7, &[0; 4], "packed by method 7"),
    ] {
        let e = parse("many", &packed_index(method, packed)).err().unwrap().to_string();
        assert!(e.contains(want), "{want}: {e}");
    }
}

#[test]
fn expanding_keys_are_bounded() {
    // One key of 60 kB, then thousands that share all of it: half a gigabyte from 100 kB.
    let mut block = vec![0];
    wire::varint(60_000, &mut block);
    block.push(1);
    block.extend(vec![b'k'; 60_000]);
    block.push(b'!');
    let mut table = vec![0, 0, 2, 8, 1];
    for i in 0..9000u32 {
        wire::varint(60_000, &mut table);
        table.extend([4, 4]);
        table.extend((i + 1).to_be_bytes());
        table.extend([8, 1, 18, 0]);
    }
    table.splice(5..5, block);
    table.extend([0, 0, 0, 0, 1, 0, 0, 0]);
    let e = parse("many", &packed_index(table::RAW, &table)).err().unwrap();
    assert_eq!(e.code(), Code::ResourceExhausted, "{e}");
}

fn dims(sizes: &[i64]) -> Option<TensorShapeProto> {
    let dim = sizes.iter().map(|&size| Dim { size, name: String::new() }).collect();
    Some(TensorShapeProto { dim, unknown_rank: false })
}

fn extent(start: i64, length: Option<i64>) -> Extent {
    Extent { start, has_length_hack: length.map(HasLengthHack::Length) }
}

#[test]
fn contradicting_entries_are_refused() {
    type Change = fn(&mut BundleEntryProto);
    let table: &[(&str, Change, &str)] = &[
        ("rows", |e| e.dtype = 0, "0 is not a type"),
        ("plain", |e| e.dtype = -1, "-1 is not a type"),
        ("plain", |e| e.dtype = 103, "103 is not a type"),
        ("plain", |e| e.dtype = 9, "DT_INT64[] takes 8 bytes, not 4"),
        ("plain", |e| e.dtype = 7, "DT_STRING[] takes 5 or more bytes, not 4"),
        ("plain", |e| e.shape = dims(&[-5]), "negative extent -5"),
        ("plain", |e| e.shape = dims(&[1 << 31, 1 << 31, 4]), "more than 1099511627776 elements"),
        ("plain", |e| e.shape = dims(&[1; 40]), "rank 40 is above the limit"),
        ("plain", |e| e.shape = dims(&[2]), "takes 8 bytes, not 4"),
        ("plain", |e| e.shape.as_mut().unwrap().unknown_rank = true, "has no rank"),
        ("plain", |e| e.shard_id = 1, "shard 1 of 1 does not exist"),
        ("plain", |e| e.shard_id = -1, "shard number is out of range"),
        ("plain", |e| e.offset = 1 << 40, "but the tensor ends at 1099511627780"),
        ("plain", |e| e.offset = i64::MAX, "the tensor ends at 9223372036854775811"),
        ("plain", |e| e.offset = -1, "offset is out of range"),
        ("plain", |e| e.size = -1, "size is out of range"),
        ("plain", |e| e.size = 5, "takes 4 bytes, not 5"),
        ("rows", |e| e.dtype = 3, "is stored as DT_FLOAT[4,6], not as DT_INT32[4,6]"),
        ("rows", |e| e.shape = dims(&[10]), "does not have the rank"),
        ("rows", |e| e.shape = dims(&[9, 6]), "does not lie within the shape [9,6]"),
        ("rows", |e| e.slices[0].extent[0].start = 1, "the slice 1,4:- has no entry"),
        ("rows", |e| e.slices[0].extent[0].start = -1, "does not lie within"),
        ("rows", |e| e.slices[0].extent[0] = extent(0, Some(i64::MAX)), "does not lie within"),
        ("rows", |e| e.slices[0].extent[0] = extent(0, None), "the slice -:- has no entry"),
        ("rows", |e| e.slices = vec![TensorSliceProto::default(); 70_000], "of 70000 slices"),
    ];
    for (key, change, want) in table {
        let mut rows = rows("partitioned");
        let row = rows.iter_mut().find(|(k, _)| k == key.as_bytes()).unwrap();
        let mut entry = BundleEntryProto::decode(row.1.as_slice()).unwrap();
        change(&mut entry);
        row.1 = entry.encode_to_vec();
        let e = parse("partitioned", &seal(&rows, Layout::default())).err().expect(want);
        assert_eq!(e.node(), Some(*key), "{e}");
        assert!(e.to_string().contains(want), "{want}: {e}");
    }
}

#[test]
fn bad_headers_are_refused() {
    type Change = fn(&mut BundleHeaderProto);
    let newer = |h: &mut BundleHeaderProto| {
        h.version = Some(VersionDef { min_consumer: 2, ..VersionDef::default() });
    };
    let bad = |h: &mut BundleHeaderProto| {
        h.version = Some(VersionDef { bad_consumers: vec![1], ..VersionDef::default() });
    };
    let table: &[(Change, Code)] = &[
        (|h| h.num_shards = 0, Code::DataLoss),
        (|h| h.num_shards = -1, Code::DataLoss),
        (|h| h.num_shards = i32::MAX, Code::DataLoss),
        (|h| h.num_shards = 2, Code::NotFound),
        (|h| h.endianness = 1, Code::Unimplemented),
        (newer, Code::Unimplemented),
        (bad, Code::Unimplemented),
    ];
    for (i, (change, code)) in table.iter().enumerate() {
        let mut rows = rows("many");
        let mut header = BundleHeaderProto::decode(rows[0].1.as_slice()).unwrap();
        change(&mut header);
        rows[0].1 = header.encode_to_vec();
        let e = parse("many", &seal(&rows, Layout::default())).err().unwrap();
        assert_eq!(e.code(), *code, "{i}: {e}");
    }
}

#[test]
fn damaged_data_are_noticed() {
    let dir = Scratch::new();
    for name in ["plain", "strings", "partitioned"] {
        let prefix = dir.copy(name);
        let path = shards::data_path(&prefix, 0, 1);
        let good = fs::read(&path).unwrap();
        for at in (0..good.len()).step_by(7) {
            let mut bad = good.clone();
            bad[at] ^= 4;
            fs::write(&path, &bad).unwrap();
            let bundle = Bundle::open(&prefix).unwrap();
            let failed = bundle.keys().filter(|k| bundle.tensor(k).is_err()).count();
            let holes = usize::from(name == "partitioned");
            // What lies in the hole is read by its slice only.
            let hole = bundle.rows.iter().any(|(k, e)| {
                k.starts_with(b"\0hole") && (e.offset..e.offset + e.size).contains(&(at as u64))
            });
            assert_eq!(failed, usize::from(!hole) + holes, "{name}: byte {at}");
        }
        fs::write(&path, &good[..good.len() - 1]).unwrap();
        let e = Bundle::open(&prefix).err().unwrap();
        assert_eq!(e.code(), Code::OutOfRange, "{e}");
    }
}

#[test]
fn big_tensors_are_verified_on_demand() {
    let dir = Scratch::new();
    let prefix = dir.0.join("c");
    write(&prefix, &samples()).unwrap();
    let path = shards::data_path(&prefix, 0, 1);
    let mut data = fs::read(&path).unwrap();
    let at = Bundle::open(&prefix).unwrap().entry("big").unwrap().offset as usize;
    data[at] ^= 1;
    fs::write(&path, &data).unwrap();
    assert!(Bundle::open(&prefix).unwrap().tensor("big").is_ok());
    let strict = Bundle::open_with(&prefix, Options { verify: true }).unwrap();
    assert_eq!(strict.tensor("big").unwrap_err().code(), Code::DataLoss);
}

#[test]
fn a_file_cut_while_open_is_an_error() {
    let dir = Scratch::new();
    let prefix = dir.copy("plain");
    let bundle = Bundle::open(&prefix).unwrap();
    fs::write(shards::data_path(&prefix, 0, 1), b"short").unwrap();
    assert_eq!(bundle.tensor("scalar").unwrap_err().code(), Code::OutOfRange);
}

#[test]
fn all_problems_are_listed_up_to_a_limit() {
    let mut rows = rows("many");
    let filler: Rows = (0..60).map(|i| (format!("n{i:02}").into_bytes(), vec![8, 0])).collect();
    rows.extend(filler);
    let e = parse("many", &seal(&rows, Layout::default())).err().unwrap();
    assert_eq!(e.others().len(), limits::PROBLEMS_MAX);
    assert_eq!(e.others().last().unwrap().message(), "and 10 more problems");
}
