#!/bin/sh
# Profile the example programs on the emulated GPU and show what comes out.
set -eu
build=$1
sonde=$build/src/cli/sonde
data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT INT TERM

show() {
    echo
    echo "\$ $*"
    "$@"
}

show "$sonde" run -t opcodeprof,bblprof -o "$data/vector_add" -- "$build/examples/vector_add"
show "$sonde" annotate -i "$data/vector_add"
for example in matrix_multiply reduction histogram mandelbrot bitonic_sort nbody sha256 \
    transpose scan narrow_types control_flow; do
    show "$sonde" run -t opcodeprof -o "$data/$example" -- "$build/examples/$example"
done
show "$sonde" verify -t opcodeprof -o "$data/verify" -- "$build/examples/mandelbrot"
