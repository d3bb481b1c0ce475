fn main() {
    let text = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    let m = tfjit_hlo::parse(&text).unwrap();
    let p = tfjit_plan::plan(&m).unwrap();
    println!("{p}");
    for i in 0..p.kernels.len() {
        let k: &tfjit_plan::kernel::Kernel = &p.kernels[tfjit_base::ids::Id::new(i)];
        println!("{k}");
        k.verify().unwrap();
        k.expand().unwrap().verify().unwrap();
    }
}
