//! What happened when, as a file that Perfetto and Chrome's `about:tracing` show.
//!
//! While a [`Recording`] lives, spans of all threads are kept, up to a bound. Without one a span
//! costs the reading of one atomic number. It must not know what spans are about.

use std::cell::Cell;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

/// Spans that are kept; a minute of launches of 50 us each.
const EVENTS_MAX: usize = 1 << 20;

/// Recordings that live.
static RECORDINGS: AtomicUsize = AtomicUsize::new(0);
static LOG: Mutex<Log> = Mutex::new(Log { events: Vec::new(), threads: Vec::new(), dropped: 0 });

#[derive(Default)]
struct Log {
    events: Vec<Event>,
    /// Number and name of each thread that ended a span.
    threads: Vec<(u64, String)>,
    /// Spans beyond the bound.
    dropped: u64,
}

/// A span that ended.
struct Event {
    name: String,
    detail: Option<String>,
    thread: u64,
    /// Nanoseconds since the first look at the clock.
    start: u64,
    length: u64,
}

fn log() -> MutexGuard<'static, Log> {
    LOG.lock().unwrap_or_else(PoisonError::into_inner)
}

fn now() -> u64 {
    static EPOCH: OnceLock<Instant> = OnceLock::new();
    u64::try_from(EPOCH.get_or_init(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// A small number for the calling thread.
fn thread() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local! {
        static NUMBER: Cell<u64> = const { Cell::new(0) };
    }
    NUMBER.with(|number| {
        if number.get() == 0 {
            number.set(NEXT.fetch_add(1, Ordering::Relaxed));
        }
        number.get()
    })
}

/// Whether spans are kept.
pub fn is_on() -> bool {
    RECORDINGS.load(Ordering::Relaxed) != 0
}

/// A span from now until it is dropped.
#[must_use = "a span ends where it is dropped"]
#[derive(Debug)]
pub struct Span(Option<Live>);

#[derive(Debug)]
struct Live {
    name: &'static str,
    count: Option<usize>,
    detail: Option<String>,
    start: u64,
}

/// The span `name (count)`: `Populate Inputs (3)`.
#[inline]
pub fn span(name: &'static str, count: usize) -> Span {
    if !is_on() {
        return Span(None);
    }
    Span(Some(Live { name, count: Some(count), detail: None, start: now() }))
}

/// The span `name`, about what `detail` says: the name of a function or of a file.
#[inline]
pub fn phase(name: &'static str, detail: impl FnOnce() -> String) -> Span {
    if !is_on() {
        return Span(None);
    }
    Span(Some(Live { name, count: None, detail: Some(detail()), start: now() }))
}

impl Drop for Span {
    fn drop(&mut self) {
        let Some(live) = self.0.take() else { return };
        let length = now().saturating_sub(live.start);
        let number = thread();
        let mut log = log();
        // A recording may have ended meanwhile.
        if !is_on() {
            return;
        }
        if log.events.len() >= EVENTS_MAX {
            log.dropped += 1;
            return;
        }
        if !log.threads.iter().any(|(n, _)| *n == number) {
            let name = std::thread::current().name().unwrap_or("thread").to_owned();
            log.threads.push((number, name));
        }
        let name = match live.count {
            Some(count) => format!("{} ({count})", live.name),
            None => live.name.to_owned(),
        };
        let (detail, start) = (live.detail, live.start);
        log.events.push(Event { name, detail, thread: number, start, length });
    }
}

/// Keeps the spans of the process while it lives. When the last one goes, they are forgotten.
#[derive(Debug)]
pub struct Recording {
    start: u64,
}

impl Recording {
    /// Starts keeping spans.
    pub fn start() -> Recording {
        RECORDINGS.fetch_add(1, Ordering::Relaxed);
        Recording { start: now() }
    }

    /// The spans that began since the start and have ended, as Chrome's trace events: an object of
    /// JSON with times in microseconds.
    pub fn json(&self) -> String {
        let log = log();
        let process = std::process::id();
        let mut text = String::from("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
        // Writing to a string can't fail.
        let _ = write!(
            text,
            "{{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":{process},\"tid\":0,\
             \"args\":{{\"name\":\"tfjit\"}}}}"
        );
        for (number, name) in &log.threads {
            let _ = write!(
                text,
                ",\n{{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":{process},\"tid\":{number},\
                 \"args\":{{\"name\":{}}}}}",
                json_text(name)
            );
        }
        let mut events: Vec<&Event> =
            log.events.iter().filter(|event| event.start >= self.start).collect();
        events.sort_by_key(|event| (event.start, std::cmp::Reverse(event.length)));
        for event in events {
            let _ = write!(
                text,
                ",\n{{\"name\":{},\"cat\":\"tfjit\",\"ph\":\"X\",\"ts\":{},\"dur\":{},\
                 \"pid\":{process},\"tid\":{}",
                json_text(&event.name),
                micros(event.start.saturating_sub(self.start)),
                micros(event.length),
                event.thread
            );
            if let Some(detail) = &event.detail {
                let _ = write!(text, ",\"args\":{{\"of\":{}}}", json_text(detail));
            }
            text.push('}');
        }
        let _ = write!(text, "\n],\"otherData\":{{\"dropped\":\"{}\"}}}}\n", log.dropped);
        text
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let mut log = log();
        if RECORDINGS.fetch_sub(1, Ordering::Relaxed) == 1 {
            *log = Log::default();
        }
    }
}

/// Nanoseconds as microseconds with three decimals.
fn micros(nanos: u64) -> String {
    format!("{}.{:03}", nanos / 1000, nanos % 1000)
}

/// A text as JSON.
fn json_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() && (c as u32) < 0x1_0000 => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_kept_while_somebody_records() {
        drop(span("Before anybody", 1));
        let recording = Recording::start();
        {
            let _outer = phase("Outer", || "a \"b\"\n".to_owned());
            let _inner = span("Populate Inputs", 3);
            let other = std::thread::Builder::new().name("worker".to_owned());
            other.spawn(|| drop(span("Elsewhere", 0))).unwrap().join().unwrap();
        }
        let json = recording.json();
        let line = |part: &str| json.lines().find(|l| l.contains(part)).map(str::to_owned);
        assert!(line("Before anybody").is_none());
        let outer = line("\"Outer\"").unwrap();
        assert!(outer.contains("\"args\":{\"of\":\"a \\\"b\\\"\\u000a\"}"), "{outer}");
        let inner = line("Populate Inputs (3)").unwrap();
        let elsewhere = line("Elsewhere (0)").unwrap();
        let field = |line: &str, key: &str| {
            let rest = line.split(&format!("\"{key}\":")).nth(1).unwrap();
            let number: String =
                rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
            number.parse::<f64>().unwrap()
        };
        assert_eq!(field(&outer, "tid"), field(&inner, "tid"));
        assert_ne!(field(&outer, "tid"), field(&elsewhere, "tid"));
        let end = |line: &str| field(line, "ts") + field(line, "dur");
        assert!(field(&outer, "ts") <= field(&inner, "ts"));
        assert!(end(&inner) <= end(&outer) + 0.002);
        assert!(json.contains("{\"name\":\"worker\"}"));
        let later = Recording::start();
        assert!(!later.json().contains("Elsewhere (0)"));
    }

    #[test]
    fn times_and_texts_are_json() {
        assert_eq!(micros(1_234_005), "1234.005");
        assert_eq!(json_text("a\u{1}é\"\\"), "\"a\\u0001é\\\"\\\\\"");
    }
}
