//! What listeners are told when a graph is clustered and run (behaviour, 8.6).
//!
//! TensorFlow's test counts the nodes that its own graph rewriting leaves; here the graph is
//! clustered as it is: five products, five sums.
#![allow(clippy::unwrap_used, reason = "failing is what tests do")]

mod common;

use std::sync::{Arc, Mutex};

use common::*;
use tfjit_base::{Error, Result, Shape, Tensor};
use tfjit_launch::listener::{
    ActivityListener, AutoClusteringActivity, GlobalJitLevel, JitCompilationActivity, Listeners,
};
use tfjit_launch::{CompilerOptions, DeviceCompiler, Environment, assemble, ops};
use tfjit_model::{AttrValue, Function};
use tfjit_runtime::{ResourceManager, Value};

#[derive(Default)]
struct Heard {
    clusterings: Mutex<Vec<AutoClusteringActivity>>,
    compilations: Mutex<Vec<JitCompilationActivity>>,
    fails: bool,
}

impl ActivityListener for Heard {
    fn auto_clustering(&self, activity: &AutoClusteringActivity) -> Result<()> {
        self.clusterings.lock().unwrap().push(activity.clone());
        if self.fails { Err(Error::internal("no")) } else { Ok(()) }
    }
    fn jit_compilation(&self, activity: &JitCompilationActivity) -> Result<()> {
        self.compilations.lock().unwrap().push(activity.clone());
        Ok(())
    }
}

/// Five times a product of `a` with itself, and a sum of the product with itself.
fn chain() -> Arc<Function> {
    function("chain", &[F32], |g, args| {
        let plain = |name| (name, AttrValue::Bool(false));
        let mut a = args[0];
        for _ in 0..5 {
            let product =
                op(g, "MatMul", &[a, a], &[t(F32), plain("transpose_a"), plain("transpose_b")]);
            a = op(g, "AddV2", &[product, product], &[t(F32)]);
        }
        vec![a]
    })
}

fn environment(heard: &Arc<Heard>, function: &Arc<Function>) -> Environment {
    let listeners = Arc::new(Listeners::new());
    listeners.register(Arc::clone(heard) as Arc<dyn ActivityListener>);
    let options = CompilerOptions { listeners, ..CompilerOptions::default() };
    let compiler = Arc::new(DeviceCompiler::new(local(), options));
    Environment::new(ops::Env::new(library(&[function]), compiler))
}

#[test]
fn acceptance_8_6_1_a_graph_that_is_clustered_is_told() {
    let heard = Arc::new(Heard::default());
    let function = chain();
    assemble(&function, &environment(&heard, &function)).unwrap();
    let told = heard.clusterings.lock().unwrap();
    assert_eq!(told.len(), 1);
    let activity = &told[0];
    assert_eq!(activity.global_jit_level, GlobalJitLevel::On2);
    assert!(activity.cpu_global_jit_enabled);
    assert_eq!((activity.clustered_node_count, activity.unclustered_node_count), (10, 1));
    assert_eq!(activity.clusters.len(), 1);
    assert_eq!((activity.clusters[0].name.as_str(), activity.clusters[0].size), ("chain", 10));
    let histogram = [("AddV2".to_owned(), 5), ("MatMul".to_owned(), 5)];
    assert_eq!(activity.clusters[0].op_histogram, histogram);
    assert_eq!(activity.unclustered_op_histogram, [("_Arg".to_owned(), 1)]);
}

#[test]
fn acceptance_8_6_1_a_listener_that_fails_fails_the_clustering() {
    let heard = Arc::new(Heard { fails: true, ..Heard::default() });
    let function = chain();
    let error = assemble(&function, &environment(&heard, &function)).unwrap_err();
    assert_eq!(error, Error::internal("no"));
}

#[test]
fn acceptance_8_6_2_each_new_shape_is_compiled_once() {
    let heard = Arc::new(Heard::default());
    let function = chain();
    let assembled = assemble(&function, &environment(&heard, &function)).unwrap();
    let resources = ResourceManager::new();
    let run = |n: usize| {
        let eye: Vec<f32> = (0..n * n).map(|i| if i % (n + 1) == 0 { 1.0 } else { 0.0 }).collect();
        let eye = Tensor::from_slice(Shape::new(&[n, n]), &eye).unwrap();
        let out = in_step(&resources, |context| {
            assembled.program.run(vec![Value::Tensor(eye.clone())], context)
        });
        let out = tensors(&out.unwrap()).remove(0).to_vec::<f32>().unwrap();
        // x -> 2 x x, five times, from 1.
        assert_eq!(out[0], 2.0f32.powi(31));
    };
    run(2);
    {
        let told = heard.compilations.lock().unwrap();
        assert_eq!(told.len(), 1);
        assert_eq!((told[0].cluster_name.as_str(), told[0].compile_count), ("chain", 1));
    }
    for _ in 0..3 {
        run(3);
    }
    let told = heard.compilations.lock().unwrap();
    assert_eq!(told.len(), 2);
    assert_eq!(told[1].compile_count, 2);
    let sum = told[0].compile_time_us + told[1].compile_time_us;
    assert_eq!(told[1].cumulative_compile_time_us, sum);
}
