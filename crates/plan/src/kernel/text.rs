//! The text form of loop kernels: printing, parsing, and the canonical form without names.
//!
//! `parse(print(k)) == k` for every kernel, well-formed or not, as long as its instructions have
//! the operands their operation prints. It must not know what operations compute.

use std::fmt::{self, Write as _};

use smallvec::SmallVec;
use tfjit_base::ids::Id;
use tfjit_base::{DType, Error, Result};

use super::{
    Access, Axis, Binary, Compare, Inst, Kernel, Lane, Op, Phase, Reduce, Stream, StreamId, Unary,
    Val, When,
};

const LANES: [(&str, Lane); 7] = [
    ("pred", Lane::Pred),
    ("i32", Lane::I32),
    ("u32", Lane::U32),
    ("i64", Lane::I64),
    ("u64", Lane::U64),
    ("f32", Lane::F32),
    ("f64", Lane::F64),
];

const UNARY: [(&str, Unary); 31] = [
    ("neg", Unary::Neg),
    ("abs", Unary::Abs),
    ("not", Unary::Not),
    ("sqrt", Unary::Sqrt),
    ("floor", Unary::Floor),
    ("ceil", Unary::Ceil),
    ("trunc", Unary::Trunc),
    ("round_even", Unary::RoundEven),
    ("round_afz", Unary::RoundAfz),
    ("sign", Unary::Sign),
    ("rsqrt", Unary::Rsqrt),
    ("cbrt", Unary::Cbrt),
    ("exp", Unary::Exp),
    ("expm1", Unary::Expm1),
    ("log", Unary::Log),
    ("log1p", Unary::Log1p),
    ("logistic", Unary::Logistic),
    ("tanh", Unary::Tanh),
    ("sin", Unary::Sin),
    ("cos", Unary::Cos),
    ("tan", Unary::Tan),
    ("erf", Unary::Erf),
    ("erfc", Unary::Erfc),
    ("atan", Unary::Atan),
    ("asin", Unary::Asin),
    ("acos", Unary::Acos),
    ("sinh", Unary::Sinh),
    ("cosh", Unary::Cosh),
    ("asinh", Unary::Asinh),
    ("acosh", Unary::Acosh),
    ("atanh", Unary::Atanh),
];

const BINARY: [(&str, Binary); 17] = [
    ("add", Binary::Add),
    ("sub", Binary::Sub),
    ("mul", Binary::Mul),
    ("div", Binary::Div),
    ("rem", Binary::Rem),
    ("min", Binary::Min),
    ("max", Binary::Max),
    ("min_fast", Binary::MinFast),
    ("max_fast", Binary::MaxFast),
    ("and", Binary::And),
    ("or", Binary::Or),
    ("xor", Binary::Xor),
    ("shl", Binary::Shl),
    ("shr_arithmetic", Binary::ShrArithmetic),
    ("shr_logical", Binary::ShrLogical),
    ("pow", Binary::Pow),
    ("atan2", Binary::Atan2),
];

const COMPARE: [(&str, Compare); 6] = [
    ("eq", Compare::Eq),
    ("ne", Compare::Ne),
    ("lt", Compare::Lt),
    ("le", Compare::Le),
    ("gt", Compare::Gt),
    ("ge", Compare::Ge),
];

const REDUCE: [(&str, Reduce); 6] = [
    ("sum", Reduce::Sum),
    ("product", Reduce::Product),
    ("min", Reduce::Min),
    ("max", Reduce::Max),
    ("and", Reduce::And),
    ("or", Reduce::Or),
];

const ACCESS: [(&str, Access); 3] =
    [("unit", Access::Unit), ("row", Access::Row), ("strided", Access::Strided)];

fn name_of<T: PartialEq>(table: &[(&'static str, T)], item: &T) -> &'static str {
    table.iter().find(|(_, t)| t == item).map_or("?", |(name, _)| name)
}

fn item_of<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    table.iter().find(|(n, _)| *n == name).map(|(_, t)| *t)
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_of(&LANES, self))
    }
}

impl fmt::Display for Unary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Unary::Narrow(dtype) = self {
            return write!(f, "narrow.{}", dtype.name());
        }
        f.write_str(name_of(&UNARY, self))
    }
}

impl fmt::Display for Binary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_of(&BINARY, self))
    }
}

impl fmt::Display for Compare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_of(&COMPARE, self))
    }
}

impl fmt::Display for Reduce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_of(&REDUCE, self))
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_of(&ACCESS, self))
    }
}

/// A constant as people write it, when that says all its bits; else the bits.
fn constant(f: &mut impl fmt::Write, bits: u64, ty: Lane) -> fmt::Result {
    let narrow = u32::try_from(bits);
    match (ty, narrow) {
        (Lane::F32, Ok(low)) if !f32::from_bits(low).is_nan() => {
            write!(f, "{:?}", f32::from_bits(low))
        }
        (Lane::F64, _) if !f64::from_bits(bits).is_nan() => write!(f, "{:?}", f64::from_bits(bits)),
        (Lane::I32, Ok(low)) => write!(f, "{}", low.cast_signed()),
        (Lane::U32, Ok(low)) => write!(f, "{low}"),
        (Lane::I64, _) => write!(f, "{}", bits.cast_signed()),
        (Lane::U64, _) => write!(f, "{bits}"),
        (Lane::Pred, Ok(low @ (0 | 1))) => write!(f, "{}", low == 1),
        _ => write!(f, "{bits:#x}"),
    }
}

/// The bits that [`constant`] wrote.
fn constant_bits(text: &str, ty: Lane) -> Option<u64> {
    if let Some(hex) = text.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).ok();
    }
    match ty {
        Lane::Pred => text.parse::<bool>().ok().map(u64::from),
        Lane::I32 => text.parse::<i32>().ok().map(|v| u64::from(v.cast_unsigned())),
        Lane::U32 => text.parse::<u32>().ok().map(u64::from),
        Lane::I64 => text.parse::<i64>().ok().map(i64::cast_unsigned),
        Lane::U64 => text.parse().ok(),
        Lane::F32 => text.parse::<f32>().ok().map(|v| u64::from(v.to_bits())),
        Lane::F64 => text.parse::<f64>().ok().map(f64::to_bits),
    }
}

/// Writes an instruction without its number; `val` gives the numbers of its operands.
fn instruction(f: &mut impl fmt::Write, inst: &Inst, val: impl Fn(Val) -> Val) -> fmt::Result {
    match inst.op {
        Op::Const(bits) => {
            f.write_str("const ")?;
            constant(f, bits, inst.ty)?;
        }
        Op::Load(s) => write!(f, "load {s}")?,
        Op::Store(s) => write!(f, "store {s}")?,
        Op::Column => f.write_str("column")?,
        Op::Unary(u) => write!(f, "{u}")?,
        Op::Binary(b) => write!(f, "{b}")?,
        Op::Compare(c) => write!(f, "compare.{c}")?,
        Op::Fma => f.write_str("fma")?,
        Op::Select => f.write_str("select")?,
        Op::Convert => f.write_str("convert")?,
        Op::Bitcast => f.write_str("bitcast")?,
        Op::Reduce(r) => write!(f, "reduce.{r}")?,
    }
    let mut separator =
        if matches!(inst.op, Op::Const(_) | Op::Load(_) | Op::Store(_)) { ", " } else { " " };
    for &arg in &inst.args {
        write!(f, "{separator}{}", val(arg))?;
        separator = ", ";
    }
    Ok(())
}

fn phase_head(f: &mut impl fmt::Write, when: When) -> fmt::Result {
    f.write_str(match when {
        When::Each => "  each:\n",
        When::Once => "  once:\n",
    })
}

fn plain_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-'))
}

fn stream_line(f: &mut impl fmt::Write, id: StreamId, s: &Stream) -> fmt::Result {
    let direction = if s.output { "out" } else { "in" };
    writeln!(f, "  {id}: {direction} {} {}", s.dtype.name(), s.access)
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if plain_name(&self.name) {
            write!(f, "kernel @{}", self.name)?;
        } else {
            write!(f, "kernel @{:?}", self.name)?;
        }
        writeln!(f, " over {} {{", axis_name(self.axis))?;
        for (id, stream) in self.streams.iter() {
            stream_line(f, id, stream)?;
        }
        let mut placed = vec![false; self.insts.len()];
        let mut next = 0;
        for phase in &self.phases {
            phase_head(f, phase.when)?;
            for &val in &phase.insts {
                self.line(f, val, &mut next)?;
                if let Some(p) = placed.get_mut(val.index()) {
                    *p = true;
                }
            }
        }
        if placed.contains(&false) {
            writeln!(f, "  unused:")?;
            for val in self.insts.ids().filter(|v| !placed[v.index()]) {
                self.line(f, val, &mut next)?;
            }
        }
        writeln!(f, "}}")
    }
}

fn axis_name(axis: Axis) -> &'static str {
    match axis {
        Axis::Columns => "columns",
        Axis::Rows => "rows",
    }
}

impl Kernel {
    /// One instruction. A store that follows the instruction before it goes without its number.
    fn line(&self, f: &mut fmt::Formatter<'_>, val: Val, next: &mut usize) -> fmt::Result {
        let Some(inst) = self.insts.get(val) else {
            return writeln!(f, "    {val}: ?");
        };
        f.write_str("    ")?;
        let plain = matches!(inst.op, Op::Store(_)) && val.index() == *next && self.store_ty(inst);
        if !plain {
            write!(f, "{val}: {} = ", inst.ty)?;
        }
        *next = val.index() + 1;
        instruction(f, inst, |v| v)?;
        f.write_str("\n")
    }

    /// Whether the type of a store is that of its stream, so that text need not say it.
    fn store_ty(&self, inst: &Inst) -> bool {
        let Op::Store(s) = inst.op else { return false };
        self.streams.get(s).and_then(|s| Lane::of(s.dtype)) == Some(inst.ty)
    }

    /// The kernel as text without its name, its unused instructions and its numbering: equal for
    /// kernels that differ in nothing else. It is not meant to be parsed.
    pub fn fingerprint(&self) -> String {
        let mut out = String::with_capacity(32 * self.insts.len() + 64);
        let mut number = vec![Val::new(0); self.insts.len()];
        let mut next = 0;
        // Writing to a string does not fail.
        let _ = writeln!(out, "over {}", axis_name(self.axis));
        for (id, stream) in self.streams.iter() {
            let _ = stream_line(&mut out, id, stream);
        }
        for phase in &self.phases {
            let _ = phase_head(&mut out, phase.when);
            for &val in &phase.insts {
                let Some(inst) = self.insts.get(val) else { continue };
                number[val.index()] = Val::new(next);
                next += 1;
                let _ = write!(out, "{} ", inst.ty);
                let renumbered = |v: Val| number.get(v.index()).copied().unwrap_or(v);
                let _ = instruction(&mut out, inst, renumbered);
                out.push('\n');
            }
        }
        out
    }

    /// Parses one kernel.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` with the line when the text is not one kernel.
    pub fn parse(text: &str) -> Result<Kernel> {
        let mut all = Kernel::parse_all(text)?;
        match (all.pop(), all.len()) {
            (Some(kernel), 0) => Ok(kernel),
            _ => Err(Error::invalid_argument("text of one kernel expected")),
        }
    }

    /// Parses any number of kernels. Lines that are empty or begin with `//` mean nothing.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` with the line.
    pub fn parse_all(text: &str) -> Result<Vec<Kernel>> {
        let mut kernels = Vec::new();
        let mut open: Option<Reader> = None;
        let mut last = 0;
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            last = number + 1;
            if line.is_empty() || line.starts_with("//") {
                continue;
            }
            let at = |e: Error| e.context(format!("line {}", number + 1));
            match &mut open {
                None => open = Some(Reader::header(line).map_err(at)?),
                Some(_) if line == "}" => {
                    kernels.extend(open.take().map(Reader::finish).transpose().map_err(at)?);
                }
                Some(reader) => reader.line(line).map_err(at)?,
            }
        }
        if open.is_some() {
            return Err(bad("`}` expected").context(format!("line {last}")));
        }
        Ok(kernels)
    }
}

fn bad(message: impl Into<String>) -> Error {
    Error::invalid_argument(message)
}

fn numbered<I: Id>(text: &str, prefix: char) -> Result<I> {
    text.strip_prefix(prefix)
        .and_then(|n| n.parse::<u32>().ok())
        .filter(|&n| n < 1 << 24)
        .map(|n| I::new(n as usize))
        .ok_or_else(|| bad(format!("`{prefix}` and a number expected, not `{text}`")))
}

/// A kernel half read.
struct Reader {
    kernel: Kernel,
    insts: Vec<(Val, Inst)>,
    unused: bool,
}

impl Reader {
    fn header(line: &str) -> Result<Reader> {
        let rest = line.strip_prefix("kernel @").ok_or_else(|| bad("`kernel @` expected"))?;
        let (name, axis) =
            rest.rsplit_once(" over ").ok_or_else(|| bad("` over ` and an axis expected"))?;
        let axis = match axis {
            "columns {" => Axis::Columns,
            "rows {" => Axis::Rows,
            _ => return Err(bad("`columns {` or `rows {` expected")),
        };
        let name = match name.strip_prefix('"').and_then(|n| n.strip_suffix('"')) {
            Some(quoted) => unescape(quoted)?,
            None => name.to_owned(),
        };
        Ok(Reader { kernel: Kernel::new(name, axis), insts: Vec::new(), unused: false })
    }

    fn line(&mut self, line: &str) -> Result<()> {
        match line {
            "each:" => self.kernel.begin(When::Each),
            "once:" => self.kernel.begin(When::Once),
            "unused:" => self.unused = true,
            _ if self.kernel.phases.is_empty() && !self.unused => self.stream(line)?,
            _ => self.inst(line)?,
        }
        Ok(())
    }

    fn stream(&mut self, line: &str) -> Result<()> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [id, direction, dtype, access] = words[..] else {
            return Err(bad("stream `sN: in|out TYPE unit|row|strided` expected"));
        };
        let id: StreamId = numbered(id.trim_end_matches(':'), 's')?;
        let output = match direction {
            "in" => false,
            "out" => true,
            _ => return Err(bad("`in` or `out` expected")),
        };
        let dtype = dtype_of(dtype).ok_or_else(|| bad(format!("`{dtype}` is no element type")))?;
        let access =
            item_of(&ACCESS, access).ok_or_else(|| bad("`unit`, `row` or `strided` expected"))?;
        if self.kernel.streams.push(Stream { dtype, output, access }) != id {
            return Err(bad("streams are numbered in order"));
        }
        Ok(())
    }

    fn inst(&mut self, line: &str) -> Result<()> {
        let (head, body) = match line.split_once(" = ") {
            Some((head, body)) => (Some(head), body),
            None => (None, line),
        };
        let mut words = body.split([' ', ',']).filter(|w| !w.is_empty());
        let name = words.next().ok_or_else(|| bad("an operation expected"))?;
        let (val, ty) = match head {
            Some(head) => {
                let (val, ty) = head.split_once(": ").ok_or_else(|| bad("`vN: TYPE` expected"))?;
                let ty = item_of(&LANES, ty).ok_or_else(|| bad(format!("`{ty}` is no type")))?;
                (numbered(val, 'v')?, Some(ty))
            }
            None if name == "store" => {
                let next = self.insts.last().map_or(0, |(v, _)| v.index() + 1);
                (Val::new(next), None)
            }
            None => return Err(bad("`vN: TYPE = ` expected")),
        };
        let op = op_of(name, ty, &mut words)?;
        let args = words.map(|w| numbered(w, 'v')).collect::<Result<SmallVec<[Val; 3]>>>()?;
        let ty = match (ty, op) {
            (Some(ty), _) => ty,
            (None, Op::Store(s)) => (self.kernel.streams.get(s))
                .and_then(|s| Lane::of(s.dtype))
                .ok_or_else(|| bad("a stream with a lane type expected"))?,
            (None, _) => return Err(bad("a type expected")),
        };
        self.insts.push((val, Inst { op, args, ty }));
        if let (false, Some(Phase { insts, .. })) = (self.unused, self.kernel.phases.last_mut()) {
            insts.push(val);
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Kernel> {
        self.insts.sort_by_key(|(val, _)| val.index());
        for (val, inst) in self.insts {
            if self.kernel.insts.push(inst) != val {
                return Err(bad(format!("every number up to {val} is given once")));
            }
        }
        Ok(self.kernel)
    }
}

fn dtype_of(name: &str) -> Option<DType> {
    use DType::{BF16, Bool, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
    let all = [Bool, I8, I16, I32, I64, U8, U16, U32, U64, BF16, F16, F32, F64];
    all.into_iter().find(|d| d.name() == name)
}

fn op_of<'t>(
    name: &str,
    ty: Option<Lane>,
    words: &mut impl Iterator<Item = &'t str>,
) -> Result<Op> {
    let unknown = || bad(format!("`{name}` is no operation"));
    let mut word = || words.next().ok_or_else(|| bad("an operand expected"));
    Ok(match name {
        "const" => {
            let (word, ty) = (word()?, ty.ok_or_else(unknown)?);
            let bits = constant_bits(word, ty);
            Op::Const(bits.ok_or_else(|| bad(format!("`{word}` is no {ty}")))?)
        }
        "load" => Op::Load(numbered(word()?, 's')?),
        "store" => Op::Store(numbered(word()?, 's')?),
        "column" => Op::Column,
        "fma" => Op::Fma,
        "select" => Op::Select,
        "convert" => Op::Convert,
        "bitcast" => Op::Bitcast,
        _ => match name.split_once('.') {
            Some(("compare", c)) => Op::Compare(item_of(&COMPARE, c).ok_or_else(unknown)?),
            Some(("reduce", r)) => Op::Reduce(item_of(&REDUCE, r).ok_or_else(unknown)?),
            Some(("narrow", d)) => Op::Unary(Unary::Narrow(dtype_of(d).ok_or_else(unknown)?)),
            Some(_) => return Err(unknown()),
            None => match item_of(&UNARY, name) {
                Some(u) => Op::Unary(u),
                None => Op::Binary(item_of(&BINARY, name).ok_or_else(unknown)?),
            },
        },
    })
}

/// The text that `{:?}` of a string wrote, without its quotes.
fn unescape(text: &str) -> Result<String> {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let escaped = match chars.next() {
            Some('n') => Some('\n'),
            Some('t') => Some('\t'),
            Some('r') => Some('\r'),
            Some('0') => Some('\0'),
            Some(c @ ('\\' | '"' | '\'')) => Some(c),
            Some('u') => {
                let code: String = chars.by_ref().skip(1).take_while(|c| *c != '}').collect();
                u32::from_str_radix(&code, 16).ok().and_then(char::from_u32)
            }
            _ => None,
        };
        out.push(escaped.ok_or_else(|| bad("broken escape in a name"))?);
    }
    Ok(out)
}
