#!/usr/bin/env bash
# Everything that needs a GPU, in one go: build, test, check under compute-sanitizer, time.
#
#     bench/gpu_run.sh OUT [BUILD]
#
# OUT gets the logs and the JSON of the figures; bench/gpu_table.py OUT makes the table.
# BUILD is a build folder (default: build-gpu, made for the GPU at hand; with cuFFTDx if
# WEIR_CUFFTDX_DIR names its folder). Leaves the card's
# settings alone. Ends with 1, and the names in OUT/failed.txt, if a step failed.
set -uo pipefail
out=${1:?where to put the results}
source_dir=$(cd "$(dirname "$0")/.." && pwd)
build=${2:-$source_dir/build-gpu}
mkdir -p "$out"
out=$(cd "$out" && pwd)
rm -f "$out/failed.txt"

step() { # name command...
    local name=$1
    shift
    if "$@" >"$out/$name.txt" 2>&1; then
        echo "ok      $name"
    else
        echo "FAILED  $name ($?): see $out/$name.txt"
        echo "$name" >>"$out/failed.txt" # steps in the background are processes of their own
    fi
}

arch=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)
nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv,noheader \
    >"$out/device.txt" || exit 1
if [ ! -e "$build/bench/bench_cuda" ]; then
    step configure cmake -S "$source_dir" -B "$build" -DCMAKE_BUILD_TYPE=Release -DWEIR_CUDA=ON \
        "-DCMAKE_CUDA_ARCHITECTURES=$arch" "-DWEIR_CUFFTDX_DIR=${WEIR_CUFFTDX_DIR:-}"
    step build cmake --build "$build" --parallel
fi
for layout in 0 2 3; do
    step "callback_load_$layout" nvcc -std=c++17 -gencode "arch=compute_$arch,code=lto_$arch" -dc \
        -fatbin "-DLAYOUT=$layout" "$source_dir/bench/callback_load.cu" \
        -o "$out/callback_load_$layout.fatbin"
done
step callback_store nvcc -std=c++17 -gencode "arch=compute_$arch,code=lto_$arch" -dc -fatbin \
    "$source_dir/bench/callback_store.cu" -o "$out/callback_store.fatbin"

# Correctness: nothing is timed, so the checkers may run side by side.
step test_cuda_kernels "$build/tests/test_cuda_kernels" &
step test_cuda_engine "$build/tests/test_cuda_engine" &
step test_convolve_gpu "$build/tests/test_convolve_gpu" &
step test_fft_exact_gpu "$build/tests/test_fft_exact_gpu" &
step test_gpu_faults "$build/tests/test_gpu_faults" &
export WEIR="$build/weir" WEIR_BUILD_DIR="$build" WEIR_SOURCE_DIR="$source_dir"
export WEIR_CORPUS="${WEIR_CORPUS:-$source_dir/../shared/corpus}"
for test in test_polynomials_gpu test_determinism_gpu test_cuda_faults_gpu; do
    step "$test" python3 "$source_dir/tests/$test.py" &
done
for tool in memcheck racecheck initcheck synccheck; do
    for test in test_cuda_kernels test_cuda_engine test_convolve_gpu test_fft_exact_gpu; do
        WEIR_GPU_TEST_SMALL=1 step "${tool}_$test" compute-sanitizer --error-exitcode 9 \
            --tool "$tool" "$build/tests/$test" &
    done
done
wait

step bench_cuda "$build/bench/bench_cuda" --callbacks "$out" --json "$out/resident.json"
step bench_spectrum_any "$build/bench/bench_spectrum_any" 1000 1024 1009 4096 12345 61440 1000003
step bench_fft_lengths "$build/bench/bench_fft_lengths" 120 16 25 3 2 8192 cufft
step bench_fft_lengths_vkfft "$build/bench/bench_fft_lengths" 30 16 25 3 2 8192
step fft_start python3 "$source_dir/bench/fft_start.py" "$build/weir" 3 cuda 1000 8191 61440 1000003
step bench_convolve "$build/bench/bench_convolve"
step bench_fft_start "$build/bench/bench_fft_start" 5 64 1000 8191 12345 61440 1000003 4194304
step bench_cuda_stream "$build/bench/bench_cuda_stream" --json "$out/streamed.json"
for log2n in 10 12; do
    step "ncu_$log2n" ncu --clock-control none --set full --section WarpStateStats \
        --print-details all -k regex:power -c 1 -s 2 "$build/bench/bench_cuda" --quick --ours \
        --only resident --format cu8 --size "$log2n"
done
[ ! -e "$out/failed.txt" ]
