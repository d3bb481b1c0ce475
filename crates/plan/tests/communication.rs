//! Steps of programs that communicate: all there, in the order of the program, receiving as late as
//! that allows.
#![allow(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

use tfjit_plan::{Plan, Step, plan};

/// The steps in a word each; those of loops and branches in brackets.
fn words(steps: &[Step]) -> String {
    let word = |step: &Step| match step {
        Step::Loop(_) => "loop".to_owned(),
        Step::Reference(call) => call.module.name.rsplit('.').next().unwrap().to_owned(),
        Step::While { test, body, .. } => format!("while [{}] [{}]", words(test), words(body)),
        Step::Switch { branches, .. } => {
            let branches: Vec<String> = branches.iter().map(|b| words(b)).collect();
            format!("switch [{}]", branches.join("] ["))
        }
        Step::Copy(_) => "copy".to_owned(),
        _ => "other".to_owned(),
    };
    steps.iter().map(word).collect::<Vec<_>>().join(" ")
}

fn planned(text: &str) -> Plan {
    let module = tfjit_hlo::parse(text).unwrap_or_else(|e| panic!("{e}"));
    tfjit_hlo::verify(&module).unwrap_or_else(|e| panic!("{e}"));
    plan(&module).unwrap()
}

const HOST: &str = "is_host_transfer = true, mhlo.frontend_attributes = \
    {_xla_host_transfer_rendezvous = \"k\"}";

#[test]
fn what_needs_nothing_received_runs_before() {
    let text = format!(
        r#"func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {{
  %t = stablehlo.after_all : !stablehlo.token
  %a:2 = "stablehlo.recv"(%t) {{{HOST},
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>}}
    : (!stablehlo.token) -> (tensor<8xf32>, !stablehlo.token)
  %u = stablehlo.after_all : !stablehlo.token
  %y = stablehlo.tanh %x : tensor<8xf32>
  %z = stablehlo.reverse %y, dims = [0] : tensor<8xf32>
  %s = "stablehlo.sort"(%y) ({{
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }}) {{dimension = 0 : i64}} : (tensor<8xf32>) -> tensor<8xf32>
  %w = stablehlo.add %a#0, %s : tensor<8xf32>
  return %w, %z : tensor<8xf32>, tensor<8xf32>
}}"#
    );
    let words = words(&planned(&text).steps);
    assert_eq!(words, "loop sort recv loop copy");
}

#[test]
fn effects_keep_their_order() {
    let sum = r#"({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<8xf32>) -> tensor<8xf32>"#;
    let text = format!(
        r#"func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {{
  %t = stablehlo.after_all : !stablehlo.token
  %a:2 = "stablehlo.recv"(%t) {{{HOST},
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>}}
    : (!stablehlo.token) -> (tensor<8xf32>, !stablehlo.token)
  %y = stablehlo.tanh %x : tensor<8xf32>
  %r = "stablehlo.all_reduce"(%y) {sum}
  // The same again, and nobody reads it: neither merged nor dropped.
  %q = "stablehlo.all_reduce"(%y) {sum}
  %u = "stablehlo.send"(%y, %t) {{{HOST},
    channel_handle = #stablehlo.channel_handle<handle = 2, type = 2>}}
    : (tensor<8xf32>, !stablehlo.token) -> !stablehlo.token
  %b:2 = "stablehlo.recv"(%t) {{{HOST},
    channel_handle = #stablehlo.channel_handle<handle = 3, type = 3>}}
    : (!stablehlo.token) -> (tensor<8xf32>, !stablehlo.token)
  %s = stablehlo.add %r, %a#0 : tensor<8xf32>
  return %s : tensor<8xf32>
}}"#
    );
    let words = words(&planned(&text).steps);
    assert_eq!(words, "loop recv all_reduce all_reduce send loop recv");
}

#[test]
fn tokens_go_through_loops_and_branches() {
    let text = format!(
        r#"func.func @main(%p: tensor<i1>, %x: tensor<8xf32>) -> tensor<8xf32> {{
  %t = stablehlo.after_all : !stablehlo.token
  %r:2 = "stablehlo.if"(%p) ({{
    %u = "stablehlo.send"(%x, %t) {{{HOST},
      channel_handle = #stablehlo.channel_handle<handle = 2, type = 2>}}
      : (tensor<8xf32>, !stablehlo.token) -> !stablehlo.token
    stablehlo.return %u, %x : !stablehlo.token, tensor<8xf32>
  }}, {{
    stablehlo.return %t, %x : !stablehlo.token, tensor<8xf32>
  }}) : (tensor<i1>) -> (!stablehlo.token, tensor<8xf32>)
  %w:2 = "stablehlo.while"(%r#0, %r#1) ({{
  ^bb0(%u: !stablehlo.token, %y: tensor<8xf32>):
    %go:2 = "stablehlo.recv"(%u) {{{HOST},
      channel_handle = #stablehlo.channel_handle<handle = 3, type = 3>}}
      : (!stablehlo.token) -> (tensor<i1>, !stablehlo.token)
    stablehlo.return %go#0 : tensor<i1>
  }}, {{
  ^bb0(%u: !stablehlo.token, %y: tensor<8xf32>):
    stablehlo.return %u, %y : !stablehlo.token, tensor<8xf32>
  }}) : (!stablehlo.token, tensor<8xf32>) -> (!stablehlo.token, tensor<8xf32>)
  %v = "stablehlo.send"(%w#1, %w#0) {{{HOST},
    channel_handle = #stablehlo.channel_handle<handle = 4, type = 2>}}
    : (tensor<8xf32>, !stablehlo.token) -> !stablehlo.token
  return %w#1 : tensor<8xf32>
}}"#
    );
    let words = words(&planned(&text).steps);
    let (first, rest) = words.split_once("while").unwrap();
    assert!(first.starts_with("switch [send copy] [copy]"), "{words}");
    assert!(rest.starts_with(" [recv] []"), "{words}");
    assert!(rest.contains("send"), "{words}");
}
