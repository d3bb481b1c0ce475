//! What listeners are told of how a function was taken apart.
//!
//! It must not know how clusters are found, nor what listeners do.

use std::collections::BTreeMap;

use tfjit_base::Result;
use tfjit_base::ids::Id;
use tfjit_cluster::{Clustered, Place};
use tfjit_model::Function;

use crate::listener::{AutoClusteringActivity, ClusterActivity, GlobalJitLevel, Listeners};

type Histogram = BTreeMap<String, usize>;

/// The activity of taking `function` apart. Everything that can be compiled is, on processors too.
pub(crate) fn activity(function: &Function, clustered: &Clustered) -> AutoClusteringActivity {
    let mut outside = Histogram::new();
    let mut inside = vec![Histogram::new(); clustered.clusters.len()];
    for (id, node) in function.graph.iter() {
        let histogram = match clustered.placements[id.index()].place {
            Place::Cluster(number) => &mut inside[number],
            Place::Host | Place::Argument => &mut outside,
            Place::Unused => continue,
        };
        *histogram.entry(node.op.to_string()).or_default() += 1;
    }
    let mut clusters: Vec<ClusterActivity> = clustered
        .clusters
        .iter()
        .zip(inside)
        .map(|(cluster, histogram)| ClusterActivity {
            name: cluster.function.name.to_string(),
            size: cluster.nodes,
            op_histogram: histogram.into_iter().collect(),
        })
        .collect();
    clusters.sort_by(|a, b| a.name.cmp(&b.name));
    AutoClusteringActivity {
        global_jit_level: GlobalJitLevel::On2,
        cpu_global_jit_enabled: true,
        unclustered_node_count: outside.values().sum(),
        clustered_node_count: clusters.iter().map(|c| c.size).sum(),
        clusters,
        unclustered_op_histogram: outside.into_iter().collect(),
    }
}

/// Tells it.
///
/// # Errors
/// The first one of a listener.
pub(crate) fn report(
    function: &Function,
    clustered: &Clustered,
    listeners: &Listeners,
) -> Result<()> {
    listeners.auto_clustering(&activity(function, clustered))
}
