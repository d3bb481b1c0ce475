// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[(5.156003, 5.7500007e-08), (-2.091135, 0.4654287), (0.16542761, -1.542783)], [(-2.091135, -0.46542877), (5.005049, 9.0437595e-09), (-1.7957602, 2.3840833)], [(0.16542761, 1.542783), (-1.7957602, -2.3840833), (3.8376448, 3.6844878e-09)]]> : tensor<3x3xcomplex<f32>>
  %a1 = stablehlo.constant dense<[[(1.0, 0.0), (1.0, 0.0), (1.0, 0.0)], [(0.0, 0.0), (1.0, 0.0), (1.0, 0.0)], [(0.0, 0.0), (0.0, 0.0), (1.0, 0.0)]]> : tensor<3x3xcomplex<f32>>
  %c = "stablehlo.cholesky"(%a0) <{lower = false}> : (tensor<3x3xcomplex<f32>>) -> (tensor<3x3xcomplex<f32>>)
  %r0 = stablehlo.multiply %c, %a1 : tensor<3x3xcomplex<f32>>
  %w0 = stablehlo.constant dense<[[(2.2706835, 2.5322777e-08), (-0.92092764, 0.20497298), (0.07285367, -0.6794356)], [(0.0, 0.0), (2.0285285, 3.633136e-09), (-0.7835243, 0.8741831)], [(0.0, 0.0), (0.0, 0.0), (1.4115942, 1.5157726e-08)]]> : tensor<3x3xcomplex<f32>>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 2.000000e-05 : f64} : (tensor<3x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>) -> ()
  return
}
