// stage: run

// Complex numbers.

func.func @exponential() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-0.5, 0.25), (0.0, 0.0), (-3.0, -4.0), (1e-08, 1e-08)]> : tensor<5xcomplex<f64>>
  %r = stablehlo.exponential %x : tensor<5xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(-1.1312043837568135, 2.4717266720048188), (0.5876750903439226, 0.15005808662216327), (1.0, 0.0), (-0.032542999640154786, 0.03767897757486585), (1.00000001, 1.00000001e-08)]> : tensor<5xcomplex<f64>> {tolerance = 1.0e-14 : f64}
  return
}

func.func @exponential_minus_one() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-0.5, 0.25), (0.0, 0.0), (-3.0, -4.0), (1e-08, 1e-08)]> : tensor<5xcomplex<f64>>
  %r = stablehlo.exponential_minus_one %x : tensor<5xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(-2.1312043837568133, 2.4717266720048188), (-0.4123249096560773, 0.15005808662216327), (0.0, 0.0), (-1.032542999640155, 0.03767897757486585), (1.0000000000000002e-08, 1.00000001e-08)]> : tensor<5xcomplex<f64>> {tolerance = 1.0e-14 : f64}
  return
}

func.func @log_plus_one() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-0.5, 0.25), (0.0, 0.0), (-3.0, -4.0), (1e-08, 1e-08)]> : tensor<5xcomplex<f64>>
  %r = stablehlo.log_plus_one %x : tensor<5xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(1.039720770839918, 0.7853981633974483), (-0.5815754049028404, 0.4636476090008061), (0.0, 0.0), (1.4978661367769956, -2.0344439357957027), (9.999999889225291e-09, 9.999999900000002e-09)]> : tensor<5xcomplex<f64>> {tolerance = 1.0e-14 : f64}
  return
}

func.func @cosine() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-0.5, 0.25), (0.0, 0.0), (-3.0, -4.0), (1e-08, 1e-08)]> : tensor<5xcomplex<f64>>
  %r = stablehlo.cosine %x : tensor<5xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(2.0327230070196656, -3.0518977991518), (0.9051501505596068, 0.12110879604381165), (1.0, -0.0), (-27.034945603074224, -3.851153334811777), (1.0, -1.0000000000000002e-16)]> : tensor<5xcomplex<f64>> {tolerance = 1.0e-14 : f64}
  return
}

func.func @sine() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-0.5, 0.25), (0.0, 0.0), (-3.0, -4.0), (1e-08, 1e-08)]> : tensor<5xcomplex<f64>>
  %r = stablehlo.sine %x : tensor<5xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(3.165778513216168, 1.9596010414216063), (-0.494485780933195, 0.22168816414957482), (0.0, 0.0), (-3.853738037919377, 27.016813258003932), (1e-08, 1.0000000000000002e-08)]> : tensor<5xcomplex<f64>> {tolerance = 1.0e-14 : f64}
  return
}

func.func @tan() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-0.5, 0.25), (0.0, 0.0), (-3.0, -4.0), (1e-08, 1e-08)]> : tensor<5xcomplex<f64>>
  %r = stablehlo.tan %x : tensor<5xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(0.03381282607989669, 1.0147936161466335), (-0.504500702698564, 0.3124206925025888), (0.0, 0.0), (0.00018734620462947845, -0.9993559873814732), (1e-08, 1.0000000000000002e-08)]> : tensor<5xcomplex<f64>> {tolerance = 1.0e-14 : f64}
  return
}

func.func @tanh() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-0.5, 0.25), (0.0, 0.0), (-3.0, -4.0), (1e-08, 1e-08)]> : tensor<5xcomplex<f64>>
  %r = stablehlo.tanh %x : tensor<5xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(1.16673625724092, -0.2434582011857253), (-0.4854872810241353, 0.19805544995134955), (0.0, 0.0), (-1.000709536067233, -0.0049082580674960595), (1.0000000000000002e-08, 1e-08)]> : tensor<5xcomplex<f64>> {tolerance = 1.0e-14 : f64}
  return
}

func.func @sqrt() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-0.5, 0.25), (0.0, 0.0), (-3.0, -4.0), (1e-08, 1e-08)]> : tensor<5xcomplex<f64>>
  %r = stablehlo.sqrt %x : tensor<5xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(1.272019649514069, 0.7861513777574233), (0.17178037486125622, 0.7276733451126774), (0.0, 0.0), (1.0, -2.0), (0.00010986841134678099, 4.5508986056222736e-05)]> : tensor<5xcomplex<f64>> {tolerance = 1.0e-14 : f64}
  return
}

func.func @negate() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-0.5, 0.25), (0.0, 0.0), (-3.0, -4.0), (1e-08, 1e-08)]> : tensor<5xcomplex<f64>>
  %r = stablehlo.negate %x : tensor<5xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(-1.0, -2.0), (0.5, -0.25), (-0.0, -0.0), (3.0, 4.0), (-1e-08, -1e-08)]> : tensor<5xcomplex<f64>> {tolerance = 1.0e-14 : f64}
  return
}

func.func @log() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-0.5, 0.25), (0.0, 2.0), (-3.0, -4.0)]> : tensor<4xcomplex<f64>>
  %r = stablehlo.log %x : tensor<4xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(0.8047189562170503, 1.1071487177940904), (-0.5815754049028404, 2.677945044588987), (0.6931471805599453, 1.5707963267948966), (1.6094379124341003, -2.214297435588181)]> : tensor<4xcomplex<f64>> {tolerance = 1.0e-14 : f64}
  return
}

func.func @rsqrt() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-0.5, 0.25), (0.0, 2.0), (-3.0, -4.0)]> : tensor<4xcomplex<f64>>
  %r = stablehlo.rsqrt %x : tensor<4xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(0.5688644810057831, -0.3515775842541429), (0.3072900763121319, -1.3017016520692888), (0.5, -0.5), (0.2, 0.4)]> : tensor<4xcomplex<f64>> {tolerance = 1.0e-14 : f64}
  return
}

func.func @logistic() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-0.5, 0.25), (0.0, 2.0), (-3.0, -4.0)]> : tensor<4xcomplex<f64>>
  %r = stablehlo.logistic %x : tensor<4xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(1.0214153641721806, 0.40343870608154253), (0.3757248355800388, 0.05900296431450803), (0.5, 0.778703862327451), (-0.03207219958826851, 0.04019550765508408)]> : tensor<4xcomplex<f64>> {tolerance = 1.0e-14 : f64}
  return
}

func.func @sign() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-0.5, 0.25), (0.0, 2.0), (-3.0, -4.0)]> : tensor<4xcomplex<f64>>
  %r = stablehlo.sign %x : tensor<4xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(0.4472135954999579, 0.8944271909999159), (-0.8944271909999159, 0.4472135954999579), (0.0, 1.0), (-0.6000000000000001, -0.8)]> : tensor<4xcomplex<f64>> {tolerance = 1.0e-14 : f64}
  return
}

func.func @cbrt() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-0.5, 0.25), (0.0, 2.0), (-3.0, -4.0)]> : tensor<4xcomplex<f64>>
  %r = stablehlo.cbrt %x : tensor<4xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(1.2196165079717578, 0.47171126778938893), (0.516796460394527, 0.6415027846178182), (1.0911236359717216, 0.6299605249474365), (1.2649529063577516, -1.1506136983844504)]> : tensor<4xcomplex<f64>> {tolerance = 1.0e-14 : f64}
  return
}

func.func @acos() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-0.5, 0.25), (0.0, 2.0), (-3.0, -4.0)]> : tensor<4xcomplex<f64>>
  %r = chlo.acos %x : tensor<4xcomplex<f64>> -> tensor<4xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(1.1437177404024206, -1.528570919480998), (2.0724051800703975, -0.28139605624529274), (1.5707963267948966, -1.4436354751788103), (2.204780192434073, 2.305509031243477)]> : tensor<4xcomplex<f64>> {tolerance = 1.0e-14 : f64}
  return
}

func.func @acosh() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-0.5, 0.25), (0.0, 2.0), (-3.0, -4.0)]> : tensor<4xcomplex<f64>>
  %r = chlo.acosh %x : tensor<4xcomplex<f64>> -> tensor<4xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(1.528570919480998, 1.1437177404024206), (0.28139605624529274, 2.0724051800703975), (1.4436354751788103, 1.5707963267948966), (2.305509031243477, -2.204780192434073)]> : tensor<4xcomplex<f64>> {tolerance = 1.0e-14 : f64}
  return
}

func.func @asin() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-0.5, 0.25), (0.0, 2.0), (-3.0, -4.0)]> : tensor<4xcomplex<f64>>
  %r = chlo.asin %x : tensor<4xcomplex<f64>> -> tensor<4xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(0.42707858639247614, 1.528570919480998), (-0.5016088532755008, 0.28139605624529274), (0.0, 1.4436354751788103), (-0.6339838656391766, -2.305509031243477)]> : tensor<4xcomplex<f64>> {tolerance = 1.0e-14 : f64}
  return
}

func.func @asinh() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-0.5, 0.25), (0.0, 2.0), (-3.0, -4.0)]> : tensor<4xcomplex<f64>>
  %r = chlo.asinh %x : tensor<4xcomplex<f64>> -> tensor<4xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(1.4693517443681852, 1.0634400235777521), (-0.4926756834207706, 0.2243284526346675), (1.3169578969248166, 1.5707963267948966), (-2.2999140408792695, -0.9176168533514787)]> : tensor<4xcomplex<f64>> {tolerance = 1.0e-14 : f64}
  return
}

func.func @atan() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-0.5, 0.25), (0.0, 2.0), (-3.0, -4.0)]> : tensor<4xcomplex<f64>>
  %r = chlo.atan %x : tensor<4xcomplex<f64>> -> tensor<4xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(1.3389725222944935, 0.40235947810852507), (-0.4842544903299662, 0.20058661813123432), (1.5707963267948966, 0.5493061443340549), (-1.4483069952314644, -0.15899719167999918)]> : tensor<4xcomplex<f64>> {tolerance = 1.0e-14 : f64}
  return
}

func.func @atanh() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-0.5, 0.25), (0.0, 2.0), (-3.0, -4.0)]> : tensor<4xcomplex<f64>>
  %r = chlo.atanh %x : tensor<4xcomplex<f64>> -> tensor<4xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(0.17328679513998632, 1.1780972450961724), (-0.500370000052531, 0.3143981432077165), (0.0, 1.1071487177940904), (-0.1175009073114339, -1.4099210495965755)]> : tensor<4xcomplex<f64>> {tolerance = 1.0e-14 : f64}
  return
}

func.func @cosh() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-0.5, 0.25), (0.0, 2.0), (-3.0, -4.0)]> : tensor<4xcomplex<f64>>
  %r = chlo.cosh %x : tensor<4xcomplex<f64>> -> tensor<4xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(-0.64214812471552, 1.0686074213827783), (1.0925708047319176, -0.12892104172809826), (-0.4161468365471424, 0.0), (-6.580663040551157, -7.581552742746545)]> : tensor<4xcomplex<f64>> {tolerance = 1.0e-14 : f64}
  return
}

func.func @sinh() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-0.5, 0.25), (0.0, 2.0), (-3.0, -4.0)]> : tensor<4xcomplex<f64>>
  %r = chlo.sinh %x : tensor<4xcomplex<f64>> -> tensor<4xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(-0.4890562590412937, 1.4031192506220405), (-0.504895714387995, 0.2789791283502615), (-0.0, 0.9092974268256817), (6.5481200409110025, 7.61923172032141)]> : tensor<4xcomplex<f64>> {tolerance = 1.0e-14 : f64}
  return
}

func.func @conj() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-0.5, 0.25), (0.0, 2.0), (-3.0, -4.0)]> : tensor<4xcomplex<f64>>
  %r = chlo.conj %x : tensor<4xcomplex<f64>> -> tensor<4xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(1.0, -2.0), (-0.5, -0.25), (0.0, -2.0), (-3.0, 4.0)]> : tensor<4xcomplex<f64>> {tolerance = 1.0e-14 : f64}
  return
}

func.func @square() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-0.5, 0.25), (0.0, 2.0), (-3.0, -4.0)]> : tensor<4xcomplex<f64>>
  %r = chlo.square %x : tensor<4xcomplex<f64>> -> tensor<4xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(-3.0, 4.0), (0.1875, -0.25), (-4.0, 0.0), (-7.0, 24.0)]> : tensor<4xcomplex<f64>> {tolerance = 1.0e-14 : f64}
  return
}

func.func @add() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (3.0, 0.0), (-0.0, -1.0)]> : tensor<3xcomplex<f64>>
  %y = stablehlo.constant dense<[(3.0, 4.0), (2.0, 0.0), (2.0, 1.0)]> : tensor<3xcomplex<f64>>
  %r = stablehlo.add %x, %y : tensor<3xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(4.0, 6.0), (5.0, 0.0), (2.0, 0.0)]> : tensor<3xcomplex<f64>> {tolerance = 1.0e-14 : f64}
  return
}

func.func @subtract() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (3.0, 0.0), (-0.0, -1.0)]> : tensor<3xcomplex<f64>>
  %y = stablehlo.constant dense<[(3.0, 4.0), (2.0, 0.0), (2.0, 1.0)]> : tensor<3xcomplex<f64>>
  %r = stablehlo.subtract %x, %y : tensor<3xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(-2.0, -2.0), (1.0, 0.0), (-2.0, -2.0)]> : tensor<3xcomplex<f64>> {tolerance = 1.0e-14 : f64}
  return
}

func.func @multiply() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (3.0, 0.0), (-0.0, -1.0)]> : tensor<3xcomplex<f64>>
  %y = stablehlo.constant dense<[(3.0, 4.0), (2.0, 0.0), (2.0, 1.0)]> : tensor<3xcomplex<f64>>
  %r = stablehlo.multiply %x, %y : tensor<3xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(-5.0, 10.0), (6.0, 0.0), (1.0, -2.0)]> : tensor<3xcomplex<f64>> {tolerance = 1.0e-14 : f64}
  return
}

func.func @divide() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (3.0, 0.0), (-0.0, -1.0)]> : tensor<3xcomplex<f64>>
  %y = stablehlo.constant dense<[(3.0, 4.0), (2.0, 0.0), (2.0, 1.0)]> : tensor<3xcomplex<f64>>
  %r = stablehlo.divide %x, %y : tensor<3xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(0.44, 0.08), (1.5, 0.0), (-0.2, -0.4)]> : tensor<3xcomplex<f64>> {tolerance = 1.0e-14 : f64}
  return
}

func.func @power() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (3.0, 0.0), (-0.0, -1.0)]> : tensor<3xcomplex<f64>>
  %y = stablehlo.constant dense<[(3.0, 4.0), (2.0, 0.0), (2.0, 1.0)]> : tensor<3xcomplex<f64>>
  %r = stablehlo.power %x, %y : tensor<3xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(0.129009594074467, 0.03392409290517014), (9.0, 0.0), (-4.810477380965351, -5.89113572696996e-16)]> : tensor<3xcomplex<f64>> {tolerance = 1.0e-14 : f64}
  return
}

func.func @parts() {
  %re = stablehlo.constant dense<[3.0, 0x7F800000]> : tensor<2xf32>
  %im = stablehlo.constant dense<[-4.0, 0x7FC00000]> : tensor<2xf32>
  %z = stablehlo.complex %re, %im : tensor<2xcomplex<f32>>
  %a = stablehlo.abs %z : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %r = stablehlo.real %z : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %i = stablehlo.imag %z : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  check.expect_eq_const %a, dense<[5.0, 0x7F800000]> : tensor<2xf32>
  check.expect_eq_const %r, dense<[3.0, 0x7F800000]> : tensor<2xf32>
  check.expect_eq_const %i, dense<[-4.0, 0x7FC00000]> : tensor<2xf32>
  return
}

func.func @infinities_beside_nan() {
  %z = stablehlo.constant dense<[(0x7F800000, 0x7FC00000), (0xFF800000, 0x7FC00000), (0.0, 0x7F800000)]> : tensor<3xcomplex<f32>>
  %e = stablehlo.exponential %z : tensor<3xcomplex<f32>>
  %t = stablehlo.tanh %z : tensor<3xcomplex<f32>>
  check.expect_eq_const %e, dense<[(0x7F800000, 0x7FC00000), (0.0, 0.0), (0x7FC00000, 0x7FC00000)]> : tensor<3xcomplex<f32>>
  check.expect_eq_const %t, dense<[(1.0, 0.0), (-1.0, 0.0), (0.0, 0x7FC00000)]> : tensor<3xcomplex<f32>>
  return
}
