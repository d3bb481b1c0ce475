//! What random programs found, reduced.

mod launch;

use launch::{agree, floats};

/// The columns that lie side by side in memory are not those of the result.
#[test]
fn a_reduction_of_a_turned_value() {
    for (rows, reduced) in [(3, 1), (3, 4), (1, 5), (5, 1)] {
        let text = "
            func.func @main(%x: tensor<KxRx2xf32>) -> tensor<2xRxf32> {
              %c = stablehlo.constant dense<0.25> : tensor<f32>
              %t = stablehlo.transpose %x, dims = [2, 1, 0]
                : (tensor<KxRx2xf32>) -> tensor<2xRxKxf32>
              %r = stablehlo.reduce(%t init: %c) applies stablehlo.minimum across dimensions = [2]
                : (tensor<2xRxKxf32>, tensor<f32>) -> tensor<2xRxf32>
              return %r : tensor<2xRxf32>
            }";
        let text = text.replace('K', &reduced.to_string()).replace('R', &rows.to_string());
        agree(&text, &[floats(&[reduced, rows, 2])]);
    }
}
