//! Loops and branches: the compiler and the interpreter agree on every bit.
#![allow(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

mod launch;

use launch::{agree, bool_scalar, floats};
use tfjit_base::Tensor;

#[test]
fn carried_values_change_places() {
    let text = "
        func.func @main(%n: tensor<i32>, %x: tensor<7xf32>, %y: tensor<7xf32>, %z: tensor<7xf32>)
            -> (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<i32>) {
          %zero = stablehlo.constant dense<0> : tensor<i32>
          %one = stablehlo.constant dense<1> : tensor<i32>
          %r:4 = stablehlo.while(%i = %zero, %a = %x, %b = %y, %c = %z)
            : tensor<i32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>
            cond {
              %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
              stablehlo.return %go : tensor<i1>
            } do {
              %j = stablehlo.add %i, %one : tensor<i32>
              stablehlo.return %j, %c, %a, %b
                : tensor<i32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>
            }
          return %r#1, %r#2, %r#3, %r#0
            : tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<i32>
        }";
    let (x, y, z) = (floats(&[7]), floats(&[14]), floats(&[21]));
    let part = |t: &Tensor, at: usize| {
        let values = &t.as_slice::<f32>().unwrap()[at..at + 7];
        Tensor::from_slice(tfjit_base::Shape::new(&[7]), values).unwrap()
    };
    for n in [0, 1, 2, 3, 5] {
        agree(text, &[Tensor::scalar(n), x.clone(), part(&y, 7), part(&z, 14)]);
    }
}

#[test]
fn one_value_starts_and_ends_several() {
    let text = "
        func.func @main(%n: tensor<i32>, %x: tensor<5xf32>)
            -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
          %zero = stablehlo.constant dense<0> : tensor<i32>
          %one = stablehlo.constant dense<1> : tensor<i32>
          %r:4 = stablehlo.while(%i = %zero, %a = %x, %b = %x, %c = %x)
            : tensor<i32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
            cond {
              %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
              stablehlo.return %go : tensor<i1>
            } do {
              %j = stablehlo.add %i, %one : tensor<i32>
              %s = stablehlo.add %a, %b : tensor<5xf32>
              %t = stablehlo.reverse %a, dims = [0] : tensor<5xf32>
              stablehlo.return %j, %s, %s, %t
                : tensor<i32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
            }
          return %r#1, %r#2, %r#3, %x
            : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
        }";
    for n in [0, 1, 2, 4] {
        agree(text, &[Tensor::scalar(n), floats(&[5])]);
    }
}

#[test]
fn loops_in_loops_with_captures() {
    let text = "
        func.func @main(%n: tensor<i32>, %w: tensor<4x4xf32>, %x: tensor<3x4xf32>)
            -> (tensor<3x4xf32>, tensor<i32>) {
          %zero = stablehlo.constant dense<0> : tensor<i32>
          %one = stablehlo.constant dense<1> : tensor<i32>
          %r:3 = stablehlo.while(%i = %zero, %a = %x, %t = %zero)
            : tensor<i32>, tensor<3x4xf32>, tensor<i32>
            cond {
              %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
              stablehlo.return %go : tensor<i1>
            } do {
              %q:3 = stablehlo.while(%k = %zero, %b = %a, %u = %t)
                : tensor<i32>, tensor<3x4xf32>, tensor<i32>
                cond {
                  %more = stablehlo.compare LE, %k, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
                  stablehlo.return %more : tensor<i1>
                } do {
                  %l = stablehlo.add %k, %one : tensor<i32>
                  %m = stablehlo.multiply %b, %a : tensor<3x4xf32>
                  %v = stablehlo.add %u, %i : tensor<i32>
                  stablehlo.return %l, %m, %v : tensor<i32>, tensor<3x4xf32>, tensor<i32>
                }
              %j = stablehlo.add %i, %one : tensor<i32>
              %d = stablehlo.subtract %q#1, %x : tensor<3x4xf32>
              stablehlo.return %j, %d, %q#2 : tensor<i32>, tensor<3x4xf32>, tensor<i32>
            }
          return %r#1, %r#2 : tensor<3x4xf32>, tensor<i32>
        }";
    for n in [0, 1, 4] {
        agree(text, &[Tensor::scalar(n), floats(&[4, 4]), floats(&[3, 4])]);
    }
}

#[test]
fn branches_by_index_and_predicate() {
    let text = r#"
        func.func @main(%i: tensor<i32>, %p: tensor<i1>, %x: tensor<6xf32>)
            -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) {
          %h = stablehlo.add %x, %x : tensor<6xf32>
          %r:2 = "stablehlo.case"(%i) ({
            stablehlo.return %x, %h : tensor<6xf32>, tensor<6xf32>
          }, {
            %n = stablehlo.negate %h : tensor<6xf32>
            stablehlo.return %n, %n : tensor<6xf32>, tensor<6xf32>
          }, {
            %c = stablehlo.constant dense<1.5> : tensor<6xf32>
            %v = stablehlo.reverse %x, dims = [0] : tensor<6xf32>
            stablehlo.return %c, %v : tensor<6xf32>, tensor<6xf32>
          }) : (tensor<i32>) -> (tensor<6xf32>, tensor<6xf32>)
          %s = "stablehlo.if"(%p) ({
            %q = "stablehlo.case"(%i) ({
              stablehlo.return %r#1 : tensor<6xf32>
            }, {
              %m = stablehlo.maximum %r#0, %x : tensor<6xf32>
              stablehlo.return %m : tensor<6xf32>
            }) : (tensor<i32>) -> tensor<6xf32>
            stablehlo.return %q : tensor<6xf32>
          }, {
            stablehlo.return %x : tensor<6xf32>
          }) : (tensor<i1>) -> tensor<6xf32>
          return %r#0, %r#1, %s : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
        }"#;
    for i in [-1, 0, 1, 2, 3, i32::MAX] {
        for p in [true, false] {
            agree(text, &[Tensor::scalar(i), bool_scalar(p), floats(&[6])]);
        }
    }
}

#[test]
fn branches_inside_of_loops() {
    let text = r#"
        func.func @main(%n: tensor<i32>, %x: tensor<33xf32>) -> (tensor<33xf32>, tensor<33xf32>) {
          %zero = stablehlo.constant dense<0> : tensor<i32>
          %one = stablehlo.constant dense<1> : tensor<i32>
          %two = stablehlo.constant dense<2> : tensor<i32>
          %r:3 = stablehlo.while(%i = %zero, %a = %x, %b = %x)
            : tensor<i32>, tensor<33xf32>, tensor<33xf32>
            cond {
              %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
              stablehlo.return %go : tensor<i1>
            } do {
              %odd = stablehlo.remainder %i, %two : tensor<i32>
              %p = stablehlo.compare EQ, %odd, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
              %c:2 = "stablehlo.if"(%p) ({
                stablehlo.return %b, %a : tensor<33xf32>, tensor<33xf32>
              }, {
                %s = stablehlo.add %a, %b : tensor<33xf32>
                stablehlo.return %s, %b : tensor<33xf32>, tensor<33xf32>
              }) : (tensor<i1>) -> (tensor<33xf32>, tensor<33xf32>)
              %j = stablehlo.add %i, %one : tensor<i32>
              stablehlo.return %j, %c#0, %c#1 : tensor<i32>, tensor<33xf32>, tensor<33xf32>
            }
          return %r#1, %r#2 : tensor<33xf32>, tensor<33xf32>
        }"#;
    for n in [0, 1, 2, 3, 8] {
        agree(text, &[Tensor::scalar(n), floats(&[33])]);
    }
}

/// Rows are written into a carried array, as unrolled recurrent networks do.
#[test]
fn a_loop_that_fills_an_array() {
    let text = "
        func.func @main(%x: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<1x3xf32>) {
          %zero = stablehlo.constant dense<0> : tensor<i32>
          %one = stablehlo.constant dense<1> : tensor<i32>
          %four = stablehlo.constant dense<4> : tensor<i32>
          %out = stablehlo.constant dense<0.0> : tensor<4x3xf32>
          %state = stablehlo.constant dense<0.5> : tensor<1x3xf32>
          %r:3 = stablehlo.while(%i = %zero, %h = %state, %o = %out)
            : tensor<i32>, tensor<1x3xf32>, tensor<4x3xf32>
            cond {
              %go = stablehlo.compare LT, %i, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
              stablehlo.return %go : tensor<i1>
            } do {
              %row = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 3]
                : (tensor<4x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
              %g = stablehlo.multiply %row, %h : tensor<1x3xf32>
              %s = stablehlo.add %g, %row : tensor<1x3xf32>
              %p = stablehlo.dynamic_update_slice %o, %s, %i, %zero
                : (tensor<4x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
              %j = stablehlo.add %i, %one : tensor<i32>
              stablehlo.return %j, %s, %p : tensor<i32>, tensor<1x3xf32>, tensor<4x3xf32>
            }
          return %r#2, %r#1 : tensor<4x3xf32>, tensor<1x3xf32>
        }";
    agree(text, &[floats(&[4, 3])]);
}

/// What is read afterwards, or is a part of what is updated, is not written over.
#[test]
fn updates_spare_what_is_still_read() {
    let text = "
        func.func @main(%x: tensor<6x4xf32>, %row: tensor<1x4xf32>, %i: tensor<i32>)
            -> (tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>) {
          %zero = stablehlo.constant dense<0> : tensor<i32>
          %a = stablehlo.add %x, %x : tensor<6x4xf32>
          %part = stablehlo.slice %a [1:3, 0:4] : (tensor<6x4xf32>) -> tensor<2x4xf32>
          %p = stablehlo.dynamic_update_slice %a, %part, %i, %zero
            : (tensor<6x4xf32>, tensor<2x4xf32>, tensor<i32>, tensor<i32>) -> tensor<6x4xf32>
          %b = stablehlo.multiply %x, %x : tensor<6x4xf32>
          %q = stablehlo.dynamic_update_slice %b, %row, %i, %zero
            : (tensor<6x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<6x4xf32>
          %r = stablehlo.add %q, %b : tensor<6x4xf32>
          %c = stablehlo.subtract %x, %r : tensor<6x4xf32>
          %s = stablehlo.dynamic_update_slice %c, %row, %i, %zero
            : (tensor<6x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<6x4xf32>
          %col = stablehlo.dynamic_slice %s, %i, %i, sizes = [6, 1]
            : (tensor<6x4xf32>, tensor<i32>, tensor<i32>) -> tensor<6x1xf32>
          %t = stablehlo.dynamic_update_slice %s, %col, %zero, %i
            : (tensor<6x4xf32>, tensor<6x1xf32>, tensor<i32>, tensor<i32>) -> tensor<6x4xf32>
          %u = stablehlo.negate %t : tensor<6x4xf32>
          return %p, %r, %u : tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>
        }";
    for i in [-1, 0, 2, 4, 5, i32::MAX] {
        agree(text, &[floats(&[6, 4]), floats(&[1, 4]), Tensor::scalar(i)]);
    }
}
