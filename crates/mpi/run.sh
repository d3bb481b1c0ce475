#!/bin/sh
# Builds the example and runs it on two and on four processes. It needs MPI (Debian: libopenmpi-dev,
# openmpi-bin) and libclang (libclang-dev).
set -eu
cd "$(dirname "$0")/../.."
cargo build -q -p tfjit-mpi --features mpi --example compare
for n in 2 4; do
    mpirun --allow-run-as-root --oversubscribe -n "$n" target/debug/examples/compare
done
