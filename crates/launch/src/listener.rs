//! Who wants to know what the compiler does: clusters made, functions compiled, remarks.
//!
//! There is one list for the process and one for each compiler. A listener that fails stops what
//! it was told of, except for remarks. It must not know who listens.

use std::fmt;
use std::sync::{Arc, Once, OnceLock, PoisonError, RwLock};

use tfjit_base::Result;

use crate::metrics;

/// How eagerly graphs are clustered, as sessions say it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum GlobalJitLevel {
    /// As the process says.
    #[default]
    Default = 0,
    /// Not at all.
    Off = -1,
    /// What surely pays.
    On1 = 1,
    /// Everything that can be compiled.
    On2 = 2,
}

impl GlobalJitLevel {
    /// The level with this number.
    pub fn from_number(number: i64) -> Option<GlobalJitLevel> {
        use GlobalJitLevel::*;
        [Default, Off, On1, On2].into_iter().find(|level| *level as i64 == number)
    }
}

/// A cluster.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ClusterActivity {
    /// Its name: `cluster_0`.
    pub name: String,
    /// Number of nodes.
    pub size: usize,
    /// Ops with their numbers, sorted by op.
    pub op_histogram: Vec<(String, usize)>,
}

/// A graph was clustered.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AutoClusteringActivity {
    /// The level that held.
    pub global_jit_level: GlobalJitLevel,
    /// Whether processors took part.
    pub cpu_global_jit_enabled: bool,
    /// Nodes in no cluster, source and sink included.
    pub unclustered_node_count: usize,
    /// Nodes in clusters.
    pub clustered_node_count: usize,
    /// Clusters, sorted by name.
    pub clusters: Vec<ClusterActivity>,
    /// Ops in no cluster with their numbers, sorted by op.
    pub unclustered_op_histogram: Vec<(String, usize)>,
}

/// A function was compiled.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct JitCompilationActivity {
    /// The function's name.
    pub cluster_name: String,
    /// How often it was compiled, this time included.
    pub compile_count: u64,
    /// Microseconds that compiling took.
    pub compile_time_us: u64,
    /// The same, summed over all times.
    pub cumulative_compile_time_us: u64,
    /// Whether the persistent cache had a file for it.
    pub used_persistent_cache: bool,
}

/// What a remark is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are TensorFlow's own")]
pub enum Warning {
    None = 0,
    InaccurateOperation = 1,
    SlowOperation = 2,
    UnimplementedOperation = 3,
    SlowImageResizeDimensions = 4,
    MegamorphicFunction = 5,
}

impl Warning {
    /// The name in TensorFlow's messages.
    pub fn name(self) -> &'static str {
        match self {
            Warning::None => "NONE",
            Warning::InaccurateOperation => "INACCURATE_OPERATION",
            Warning::SlowOperation => "SLOW_OPERATION",
            Warning::UnimplementedOperation => "UNIMPLEMENTED_OPERATION",
            Warning::SlowImageResizeDimensions => "SLOW_IMAGE_RESIZE_DIMENSIONS",
            Warning::MegamorphicFunction => "MEGAMORPHIC_FUNCTION",
        }
    }
}

/// Something that may make a program slow or inexact.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OptimizationRemark {
    /// What.
    pub warning: Warning,
    /// About what: a node, a status, a function.
    pub debug_information: String,
}

/// Is told what the compiler does. It may register others, but they hear only what comes later.
pub trait ActivityListener: Send + Sync {
    /// A graph was clustered.
    ///
    /// # Errors
    /// An error stops clustering and is its result.
    fn auto_clustering(&self, activity: &AutoClusteringActivity) -> Result<()> {
        let _ = activity;
        Ok(())
    }

    /// A function was compiled, or loaded from the persistent cache.
    ///
    /// # Errors
    /// An error stops the compilation and is its result.
    fn jit_compilation(&self, activity: &JitCompilationActivity) -> Result<()> {
        let _ = activity;
        Ok(())
    }

    /// A remark.
    ///
    /// # Errors
    /// An error keeps the remark from later listeners and has no other effect.
    fn optimization_remark(&self, remark: &OptimizationRemark) -> Result<()> {
        let _ = remark;
        Ok(())
    }

    /// The process ends.
    fn flush(&self) {}
}

/// Listeners in the order of their registration.
#[derive(Default)]
pub struct Listeners {
    list: RwLock<Vec<Arc<dyn ActivityListener>>>,
}

impl fmt::Debug for Listeners {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Listeners({})", self.snapshot().len())
    }
}

impl Listeners {
    /// A list without listeners, for one compiler. What is told to it is told to those of the
    /// process first.
    pub fn new() -> Listeners {
        Listeners::default()
    }

    /// The list of the process.
    pub fn global() -> &'static Listeners {
        static GLOBAL: OnceLock<Listeners> = OnceLock::new();
        GLOBAL.get_or_init(Listeners::new)
    }

    /// Adds a listener at the end.
    pub fn register(&self, listener: Arc<dyn ActivityListener>) {
        self.list.write().unwrap_or_else(PoisonError::into_inner).push(listener);
    }

    /// Takes a listener out again.
    pub fn remove(&self, listener: &Arc<dyn ActivityListener>) {
        let mut list = self.list.write().unwrap_or_else(PoisonError::into_inner);
        list.retain(|other| !Arc::ptr_eq(other, listener));
    }

    /// The list as it is: listeners are called without a lock, so that they may register others.
    fn snapshot(&self) -> Vec<Arc<dyn ActivityListener>> {
        self.list.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Calls those of the process, then these, until one fails.
    fn each(&self, call: impl Fn(&dyn ActivityListener) -> Result<()>) -> Result<()> {
        let global = Listeners::global();
        if !std::ptr::eq(self, global) {
            global.snapshot().iter().try_for_each(|listener| call(&**listener))?;
        }
        self.snapshot().iter().try_for_each(|listener| call(&**listener))
    }

    /// Tells that a graph was clustered.
    ///
    /// # Errors
    /// The first one of a listener.
    pub fn auto_clustering(&self, activity: &AutoClusteringActivity) -> Result<()> {
        tracing::debug!(
            target: "tfjit::clustering",
            clusters = activity.clusters.len(),
            clustered = activity.clustered_node_count,
            unclustered = activity.unclustered_node_count,
            "graph clustered"
        );
        self.each(|listener| listener.auto_clustering(activity))
    }

    /// Tells that a function was compiled, and counts it.
    ///
    /// # Errors
    /// The first one of a listener.
    pub fn jit_compilation(&self, activity: &JitCompilationActivity) -> Result<()> {
        static FIRST: Once = Once::new();
        FIRST.call_once(|| tracing::info!(target: "tfjit::jit", "Compiled cluster using XLA!"));
        tracing::debug!(
            target: "tfjit::jit",
            name = activity.cluster_name,
            count = activity.compile_count,
            time_us = activity.compile_time_us,
            cumulative_us = activity.cumulative_compile_time_us,
            persistent = activity.used_persistent_cache,
            "function compiled"
        );
        if activity.compile_time_us > 0 {
            metrics::global().xla_compilations.add(1);
            metrics::global().xla_compilation_time_usecs.add(activity.compile_time_us);
        }
        self.each(|listener| listener.jit_compilation(activity))
    }

    /// Tells a remark.
    pub fn optimization_remark(&self, warning: Warning, debug_information: impl Into<String>) {
        let remark = OptimizationRemark { warning, debug_information: debug_information.into() };
        tracing::info!(
            target: "tfjit::remark",
            warning = warning.name(),
            "{}", remark.debug_information
        );
        // By TensorFlow's rule a remark is worth no failure.
        let _ = self.each(|listener| listener.optimization_remark(&remark));
    }

    /// Tells that the process, or the compiler, ends.
    pub fn flush(&self) {
        self.snapshot().iter().for_each(|listener| listener.flush());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use tfjit_base::{Code, Error};

    type Heard = Arc<Mutex<Vec<String>>>;

    struct Named(&'static str, Heard, bool);

    impl Named {
        fn hear(&self, what: &str) -> Result<()> {
            self.1.lock().unwrap().push(format!("{} {what}", self.0));
            if self.2 { Err(Error::unavailable(self.0)) } else { Ok(()) }
        }
    }

    impl ActivityListener for Named {
        fn auto_clustering(&self, activity: &AutoClusteringActivity) -> Result<()> {
            self.hear(&format!("clusters {}", activity.clusters.len()))
        }
        fn jit_compilation(&self, activity: &JitCompilationActivity) -> Result<()> {
            self.hear(&activity.cluster_name)
        }
        fn optimization_remark(&self, remark: &OptimizationRemark) -> Result<()> {
            self.hear(remark.warning.name())
        }
        fn flush(&self) {
            let _ = self.hear("flush");
        }
    }

    #[test]
    fn the_first_failure_in_order_of_registration_stops_the_rest() {
        let heard = Heard::default();
        let listeners = Listeners::new();
        for (name, fails) in [("a", false), ("b", true), ("c", false)] {
            listeners.register(Arc::new(Named(name, Arc::clone(&heard), fails)));
        }
        let activity =
            JitCompilationActivity { cluster_name: "f".to_owned(), ..Default::default() };
        let error = listeners.jit_compilation(&activity).unwrap_err();
        assert_eq!((error.code(), error.message()), (Code::Unavailable, "b"));
        let error = listeners.auto_clustering(&Default::default()).unwrap_err();
        assert_eq!(error.message(), "b");
        listeners.optimization_remark(Warning::SlowOperation, "node");
        listeners.flush();
        let heard = heard.lock().unwrap();
        let remark = "SLOW_OPERATION";
        let want: Vec<String> = ["a f", "b f", "a clusters 0", "b clusters 0"]
            .map(str::to_owned)
            .into_iter()
            .chain(["a", "b"].map(|n| format!("{n} {remark}")))
            .chain(["a", "b", "c"].map(|n| format!("{n} flush")))
            .collect();
        assert_eq!(*heard, want);
    }

    /// Registers another listener when it hears something.
    struct Registers(Arc<Listeners>, Heard);

    impl ActivityListener for Registers {
        fn jit_compilation(&self, _: &JitCompilationActivity) -> Result<()> {
            self.0.register(Arc::new(Named("late", Arc::clone(&self.1), false)));
            Ok(())
        }
    }

    #[test]
    fn a_listener_may_register_another() {
        let heard = Heard::default();
        let listeners = Arc::new(Listeners::new());
        let first: Arc<dyn ActivityListener> =
            Arc::new(Registers(Arc::clone(&listeners), Arc::clone(&heard)));
        listeners.register(Arc::clone(&first));
        listeners.jit_compilation(&Default::default()).unwrap();
        assert!(heard.lock().unwrap().is_empty());
        listeners.remove(&first);
        listeners.jit_compilation(&Default::default()).unwrap();
        assert_eq!(*heard.lock().unwrap(), ["late "]);
    }

    #[test]
    fn numbers_are_tensorflows() {
        assert_eq!(Warning::MegamorphicFunction as u32, 5);
        assert_eq!(GlobalJitLevel::from_number(-1), Some(GlobalJitLevel::Off));
        assert_eq!(GlobalJitLevel::from_number(2), Some(GlobalJitLevel::On2));
        assert_eq!(GlobalJitLevel::from_number(3), None);
    }
}
