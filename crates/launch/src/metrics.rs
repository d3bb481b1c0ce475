//! Counters of what launches do, under TensorFlow's names, readable by name and as the text that
//! Prometheus collects.
//!
//! It must not know who counts. Counting is an addition to an atomic number; a counter with labels
//! is looked up once and then held.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Values of labels that a counter tells apart; what comes later is counted under `other`, as
/// labels such as the names of ops come from files.
const LABELS_MAX: usize = 10_000;

/// A number that only grows.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Adds to it.
    pub fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    /// The number.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Counters of one name, told apart by `N` labels.
#[derive(Debug)]
pub struct Family<const N: usize> {
    counters: Mutex<BTreeMap<[String; N], Arc<Counter>>>,
}

impl<const N: usize> Default for Family<N> {
    fn default() -> Family<N> {
        Family { counters: Mutex::default() }
    }
}

impl<const N: usize> Family<N> {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<[String; N], Arc<Counter>>> {
        self.counters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The counter for these values of the labels; hold it where it is counted often.
    pub fn cell(&self, labels: [&str; N]) -> Arc<Counter> {
        let mut counters = self.lock();
        let mut labels = labels.map(str::to_owned);
        if counters.len() >= LABELS_MAX && !counters.contains_key(&labels) {
            labels = std::array::from_fn(|_| "other".to_owned());
        }
        Arc::clone(counters.entry(labels).or_default())
    }
}

impl Family<1> {
    /// The counter for this value of the label.
    pub fn with(&self, label: &str) -> Arc<Counter> {
        self.cell([label])
    }
}

/// A counter's value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sample {
    /// The counter's name: `/tensorflow/core/xla_launch_counter`.
    pub name: &'static str,
    /// What it counts.
    pub help: &'static str,
    /// Names and values of its labels.
    pub labels: Vec<(&'static str, String)>,
    /// The number.
    pub value: u64,
}

/// What can tell its values.
trait Source {
    fn values(&self) -> Vec<(Vec<String>, u64)>;
}

impl Source for Counter {
    fn values(&self) -> Vec<(Vec<String>, u64)> {
        vec![(Vec::new(), self.get())]
    }
}

impl<const N: usize> Source for Family<N> {
    fn values(&self) -> Vec<(Vec<String>, u64)> {
        self.lock().iter().map(|(labels, c)| (labels.to_vec(), c.get())).collect()
    }
}

/// The table of counters: field, type, name, labels, what is counted.
macro_rules! metrics {
    ($($field:ident: $type:ty, $name:literal, [$($label:literal),*], $help:literal;)*) => {
        /// All counters.
        #[derive(Debug, Default)]
        pub struct Metrics {
            $(
                #[doc = concat!($help, ": `", $name, "`.")]
                pub $field: $type,
            )*
        }

        impl Metrics {
            /// Every counter that ever counted, and those without labels, in the order of the
            /// table and of labels.
            pub fn samples(&self) -> Vec<Sample> {
                let mut out = Vec::new();
                $(collect(&mut out, &self.$field, $name, $help, &[$($label),*]);)*
                out
            }
        }
    };
}

metrics! {
    xla_launch_counter: Family<1>, "/tensorflow/core/xla_launch_counter", ["device"],
        "Executions of the launch kernels";
    xla_compilations: Counter, "/tensorflow/core/xla_compilations", [],
        "Compilations";
    xla_compilation_time_usecs: Counter, "/tensorflow/core/xla_compilation_time_usecs", [],
        "Microseconds of compiling";
    persistent_cache_load_count: Counter, "/tensorflow/core/persistent_cache_load_count", [],
        "Executables loaded from the persistent cache";
    graph_compilation_failed_op_count: Family<1>,
        "/tensorflow/core/tf2xla/graph_compilation_failed_op_count", ["op_name"],
        "Nodes that could not be lowered";
    xla_compiler_compilations: Family<3>,
        "/tensorflow/compiler/tf2xla/xla_compiler/compilations", ["call", "bridge", "status"],
        "Programs lowered";
    phase2_compilation_status: Family<1>,
        "/tensorflow/core/tf2xla/api/v2/phase2_compilation_status", ["status"],
        "Ends of the second phase of lowering";
    tf_top_level_jit_compilation: Family<1>,
        "/tensorflow/core/tf_top_level_jit_compilation", ["device"],
        "Calls of functions that ask to be compiled";
    tf_function_compile: Family<2>, "/tensorflow/core/tf_function_compile",
        ["device", "compilation_option"],
        "Calls of functions, by whether they ask to be compiled";
    cache_miss_count: Counter, "/tfjit/cache/miss_count", [],
        "Requests that compiled or loaded something";
    cache_eviction_count: Counter, "/tfjit/cache/eviction_count", [],
        "Compiled functions thrown out of memory";
    persistent_cache_miss_count: Counter, "/tfjit/persistent_cache/miss_count", [],
        "Requests that the persistent cache had no answer to";
    persistent_cache_error_count: Family<1>, "/tfjit/persistent_cache/error_count",
        ["operation"],
        "Entries that could not be used or kept";
    persistent_cache_save_count: Counter, "/tfjit/persistent_cache/save_count", [],
        "Entries written";
    persistent_cache_eviction_count: Counter, "/tfjit/persistent_cache/eviction_count", [],
        "Entries removed from the folder";
    persistent_cache_read_bytes: Counter, "/tfjit/persistent_cache/read_bytes", [],
        "Bytes of entries that were loaded";
    persistent_cache_written_bytes: Counter, "/tfjit/persistent_cache/written_bytes", [],
        "Bytes of entries that were written";
}

fn collect(
    out: &mut Vec<Sample>,
    source: &dyn Source,
    name: &'static str,
    help: &'static str,
    labels: &[&'static str],
) {
    for (values, value) in source.values() {
        let labels = labels.iter().copied().zip(values).collect();
        out.push(Sample { name, help, labels, value });
    }
}

impl Metrics {
    /// The value of the counter with this name and these values of its labels; 0 if it never
    /// counted.
    pub fn value(&self, name: &str, labels: &[&str]) -> u64 {
        let same = |s: &Sample| {
            s.name == name && s.labels.iter().map(|(_, v)| v.as_str()).eq(labels.iter().copied())
        };
        self.samples().iter().find(|s| same(s)).map_or(0, |s| s.value)
    }

    /// The text that Prometheus collects, with numbers of the caller's behind the counters.
    pub fn prometheus(&self, more: &[Sample]) -> String {
        let mut text = String::new();
        let mut last = "";
        for sample in self.samples().iter().chain(more) {
            let name = prometheus_name(sample.name);
            // Writing to a string can't fail.
            if sample.name != last {
                let _ = writeln!(text, "# HELP {name} {}.", sample.help);
                let _ = writeln!(text, "# TYPE {name} counter");
                last = sample.name;
            }
            let labels: Vec<String> =
                sample.labels.iter().map(|(k, v)| format!("{k}=\"{}\"", escaped(v))).collect();
            let labels = match labels.is_empty() {
                true => String::new(),
                false => format!("{{{}}}", labels.join(",")),
            };
            let _ = writeln!(text, "{name}{labels} {}", sample.value);
        }
        text
    }
}

/// The counters of the process.
pub fn global() -> &'static Metrics {
    static METRICS: OnceLock<Metrics> = OnceLock::new();
    METRICS.get_or_init(Metrics::default)
}

/// `/tensorflow/core/x` as `tensorflow_core_x`.
fn prometheus_name(name: &str) -> String {
    let good = |c: char| if c.is_ascii_alphanumeric() || c == ':' { c } else { '_' };
    name.trim_start_matches('/').chars().map(good).collect()
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_read_by_name_and_labels() {
        let metrics = Metrics::default();
        let cpu = metrics.xla_launch_counter.with("CPU");
        cpu.add(2);
        metrics.xla_launch_counter.with("GPU").add(1);
        metrics.xla_launch_counter.with("CPU").add(1);
        metrics.xla_compilations.add(5);
        let launches = "/tensorflow/core/xla_launch_counter";
        assert_eq!(metrics.value(launches, &["CPU"]), 3);
        assert_eq!(metrics.value(launches, &["GPU"]), 1);
        assert_eq!(metrics.value(launches, &["TPU"]), 0);
        assert_eq!(metrics.value("/tensorflow/core/xla_compilations", &[]), 5);
    }

    #[test]
    fn prometheus_gets_plain_names_and_escaped_labels() {
        let metrics = Metrics::default();
        metrics.xla_launch_counter.with("CPU").add(7);
        metrics.graph_compilation_failed_op_count.with("a\"b\\c\nd").add(1);
        metrics.tf_function_compile.cell(["CPU", "enabled"]).add(2);
        let more = [Sample { name: "/x", help: "More", labels: Vec::new(), value: 9 }];
        let text = metrics.prometheus(&more);
        for line in [
            "# TYPE tensorflow_core_xla_launch_counter counter",
            "tensorflow_core_xla_launch_counter{device=\"CPU\"} 7",
            "tensorflow_core_xla_compilations 0",
            "tensorflow_core_tf2xla_graph_compilation_failed_op_count\
             {op_name=\"a\\\"b\\\\c\\nd\"} 1",
            "tensorflow_core_tf_function_compile{device=\"CPU\",compilation_option=\"enabled\"} 2",
            "# HELP x More.",
            "x 9",
        ] {
            assert!(text.lines().any(|l| l == line), "{line} is not in\n{text}");
        }
    }

    #[test]
    fn labels_are_bounded_in_number() {
        let metrics = Metrics::default();
        let family = &metrics.graph_compilation_failed_op_count;
        (0..LABELS_MAX + 50).for_each(|i| family.with(&i.to_string()).add(1));
        assert_eq!(family.values().len(), LABELS_MAX + 1);
        assert_eq!(family.with("other").get(), 50);
    }
}
