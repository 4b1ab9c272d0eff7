#!/bin/bash
# ctest-labels: soak
# ctest-timeout: 1500
# The streaming chain for longer, and the view while its window changes size all the time:
# exact accounts, nothing lost at the rated speed, memory and descriptors that stay flat.
# WEIR_SOAK_SECONDS: how long (a few seconds; ./dev soak and CI: 10 minutes).
set -u
seconds=${WEIR_SOAK_SECONDS:-14}
soak=${WEIR_BUILD_DIR:?}/bench/soak
[ -x "$soak" ] || { echo "skipped: bench/soak is not built"; exit 77; }
dir=$(mktemp -d) || exit 1
socket=weir-soak-$$
t() { tmux -L "$socket" -f /dev/null "$@"; }
# shellcheck disable=SC2317 # called by the trap
finish() {
    t kill-server 2>/dev/null
    rm -rf "$dir"
}
trap finish EXIT
failed=0

"$soak" "$seconds" >"$dir/soak" 2>&1 &
chain=$!

resident_kib() { sed -n 's/^VmRSS:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$1/status" 2>/dev/null; }
descriptors() { find "/proc/$1/fd" 2>/dev/null | wc -l; }
# Of one process, by its name: before it, and on a slow machine for long, the shell's only child is
# another one, such as clear, or the shell's own copy that is about to become it.
child_named() { # PARENT NAME
    local pid pids
    read -ra pids <"/proc/$1/task/$1/children"
    for pid in "${pids[@]}"; do
        [ "$(cat "/proc/$pid/comm" 2>/dev/null)" != "$2" ] || echo "$pid"
    done
}

# The view keeps a history that fills up: 256 levels of 4 bytes, 25 lines a second.
soak_view() {
    local shell pid began=$SECONDS warm=0 fds=0 kib=0 allowed keys='tTcCsblmira+-0'
    t new-session -d -x 80 -y 24 "TMOUT=$((seconds + 60)) PS1='ready>' bash --norc --noprofile"
    t set-option -g status off >/dev/null
    t send-keys "clear; '$WEIR' view 'fault:lose=1M/5000:synth:rate=4.8M,demo' --fft 256 \
2>'$dir/view'; echo exit=\$? >'$dir/exit'" Enter
    shell=$(t display-message -p '#{pane_pid}')
    for _ in $(seq 600); do
        pid=$(child_named "$shell" "$(basename "$WEIR")")
        [ -n "$pid" ] && break
        sleep 0.1
    done
    [ -n "$pid" ] || { cat "$dir/view"; echo "FAILED: the view does not start"; return 1; }
    began=$SECONDS
    while [ $((SECONDS - began)) -lt "$seconds" ]; do
        t resize-window -x $((1 + RANDOM % 240)) -y $((1 + RANDOM % 70))
        t send-keys -l "${keys:RANDOM % ${#keys}:1}"
        sleep 0.1
        kib=$(resident_kib "$pid")
        [ -n "$kib" ] || { cat "$dir/view"; echo "FAILED: the view has ended"; return 1; }
        if [ "$warm" = 0 ] && [ $((SECONDS - began)) -ge $((seconds / 3)) ]; then
            warm=$kib fds=$(descriptors "$pid")
        fi
    done
    allowed=$((warm + 8192 + seconds * 25 * 256 * 4 / 1024))
    echo "view: memory $warm KiB, then $kib KiB (at most $allowed); descriptors $fds, then $(
        descriptors "$pid")"
    [ "$kib" -le "$allowed" ] || { echo "FAILED: the view's memory grows"; return 1; }
    [ "$(descriptors "$pid")" = "$fds" ] || { echo "FAILED: descriptors grow"; return 1; }
    t resize-window -x 80 -y 24
    for _ in $(seq 20); do # on a loaded machine, both may arrive at once, which is Alt and q
        [ -s "$dir/exit" ] && break
        t send-keys Escape
        sleep 1
        t send-keys q
        sleep 1
    done
    grep -qx 'exit=0' "$dir/exit" || {
        t capture-pane -p
        cat "$dir/view"
        echo "FAILED: the view does not end, or not with 0"
        return 1
    }
}

if command -v tmux >/dev/null && ! "$WEIR" --version | grep -q 'no terminal view'; then
    soak_view || failed=1
else
    echo "no tmux or no view: only the chain is soaked"
fi
wait $chain || failed=1
cat "$dir/soak"
exit $failed
