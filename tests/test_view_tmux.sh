#!/bin/bash
# ctest-labels: tui
# ctest-timeout: 600
# The terminal view in a real terminal (tmux): what it shows at several sizes, terminals
# and locales, its keys, resize storms, and the terminal as it was after every way out.
set -u
# shellcheck source=tests/tmux_pane.sh
. "$(dirname "$0")/tmux_pane.sh"

test_standard_size() {
    run "$utf8 COLORTERM=truecolor" ""
    check "title" wait_for '^ synth:band .*centre 433\.92 MHz .*rate 2\.4 MS/s .*RBW 879 Hz'
    check "status" wait_for 'received [0-9.]+ [kM]? +lost 0 +clipped [0-9]+ .*q quit *$'
    check "all of it" wait_for_picture 80 24
    check "axis" wait_for '^ +MHz . +433\.0 +433\.5 +434\.0 +434\.5 +435\.0'
    check "level scale" wait_for '^ +-60 ┤'
    check "unit" wait_for '^dBFS'
    check "time labels" wait_for '0:[0-5][0-9]\.[0-9] ┤'
    check "half blocks" wait_for '▀'
    check "spectrum area" wait_for '█'
    check "direct colour" colours '38;2;[0-9]+;[0-9]+;[0-9]+'
    quit
}

# The carrier lies at a quarter of the span: column 9 + floor(71 / 4) = 26 of 0..79.
column_is() { # ROW COLUMN CHARACTER
    screen
    [ "$(row "$1" | cut -c "$2")" = "$3" ]
}
test_vt100() {
    run "LANG=C TERM=vt100" "low=-100 high=-30"
    check "picture" wait_for '@'
    check "many rows" wait_for '^ *0:(0[1-9]|[1-5][0-9])'
    for r in 12 16 20 23; do
        check "carrier in row $r" eventually column_is "$r" 27 '@'
        check "noise beside it in row $r" [ "$(row "$r" | cut -c 24)" != '@' ]
    done
    check "only ASCII" [ "$(LC_ALL=C tr -d '\n -~' < "$dir/screen" | wc -c)" = 0 ]
    check "no colour" no_colours '\[[0-9;]*[34][0-8][;m]'
    quit
}

test_colour_ladder() {
    run "$utf8" ""
    check "256" wait_for '▀'
    check "256: indexed" colours '[34]8;5;[0-9]+'
    check "256: nothing direct" no_colours '[34]8;2;'
    quit
    run "LANG=C.UTF-8 TERM=screen" ""
    check "8" wait_for '█'
    check "8: basic" colours '\[[0-9;]*3[0-7]m'
    check "8: nothing indexed" no_colours '[34]8;[25];'
    quit
    run "$utf8 COLORTERM=truecolor NO_COLOR=1" ""
    check "NO_COLOR" wait_for '[░▒▓]'
    check "NO_COLOR: none" no_colours '\[[0-9;]*[34][0-8][;m]'
    quit
    run "$utf8 COLORTERM=truecolor NO_COLOR=" ""
    check "NO_COLOR empty" wait_for '▀'
    check "NO_COLOR empty: colour" colours '[34]8;2;'
    quit
    run "LANG=C TERM=screen-256color COLORTERM=truecolor" ""
    check "C locale" wait_for '^ +MHz \|'
    check "C locale: colour" colours '48;2;'
    check "C locale: only ASCII" [ "$(LC_ALL=C tr -d '\n -~' < "$dir/screen" | wc -c)" = 0 ]
    quit
}

test_sizes() {
    size 20 5
    run "$utf8" ""
    check "20x5" wait_for '^ .*lost 0 +\? help'
    check "20x5 axis" wait_for '433.*MHz'
    keys '?'
    check "20x5 help" wait_for 'keys 1/'
    press_escape 'keys 1/'
    for s in "19 5" "20 4" "1 1" "5 2"; do
        size "${s% *}" "${s#* }"
        check "$s: too small" wait_for '^(t|…)'
    done
    size 200 50
    check "200x50 after too small" wait_for 'overlap 50 % .*averages [0-9]+'
    check "200x50 all of it" wait_for_picture 200 50
    size 79 24
    check "79x24" wait_for_picture 79 24
    quit
    size 80 24
}

test_keys() {
    size 120 30
    run "$utf8 COLORTERM=truecolor" "low=-100 high=-30"
    check "running" wait_for 'range -100..-30 dBFS fixed'
    keys '?'
    check "help" wait_for 'keys .*'
    for text in 'q +quit' 'Space +pause' 'zoom in' 'colour map' 'maximum hold' 'automatic range'; do
        check "help has $text" wait_for "$text"
    done
    press_escape 'colour map'
    keys +
    check "zoom about the centre" wait_for 'MHz . +433\.4 .*433\.9 .*434\.5'
    keys Right
    check "pan" wait_for 'MHz . +433\.5 .*434\.6'
    keys - 0
    check "whole span" wait_for 'MHz . +432\.8 .*435\.0'
    keys c
    check "colour map" wait_for 'colour map [a-z]+'
    press_escape 'colour map'
    keys ']' ']' ']'
    check "larger range" wait_for 'range -130..-30 dBFS fixed'
    check "its scale" wait_for '^ +-120 ┤'
    keys '['
    check "smaller range" wait_for 'range -120..-30'
    keys Up Up
    check "range up" wait_for 'range -110..-20'
    keys Down
    check "range down" wait_for 'range -115..-25'
    keys a
    check "automatic range" wait_for 'range -[0-9]+..-[0-9]+ dBFS  '
    keys x
    check "hold" wait_for '[─▔▁]{8}'
    keys s
    check "no spectrum panel" wait_for_in_row 3 '^ +MHz'
    keys s
    check "the spectrum panel again" wait_for_in_row 2 '^dBFS'
    keys Space
    check "paused" wait_for 'PAUSED'
    check "a pause stands still" eventually stands_still
    keys Space
    check "goes on" wait_until_gone 'PAUSED'
    quit
    size 80 24
}

# The frame under way when the pause began may still be coming.
stands_still() {
    screen && cp "$dir/screen" "$dir/before"
    sleep 0.4
    screen
    cmp -s <(sed '$d' "$dir/before") <(sed '$d' "$dir/screen")
}

test_cursor_and_history() {
    size 120 30
    run "$utf8 COLORTERM=truecolor" "low=-100 high=-20"
    check "running" wait_for "$past_a_second ┤"
    keys p
    check "highest peak" wait_for 'cursor 433\.32000 MHz -3[0-9]\.[0-9] dBFS'
    keys k
    check "marker" wait_for '1 433\.32000 MHz -3[0-9]\.[0-9] dBFS'
    keys n
    check "next peak, and the difference" wait_for 'cursor 43[34]\..*\([+-].*Hz -[0-9.]+ dB\)'
    keys k
    check "band power" wait_for '1-2 band -[0-9.]+ dBFS'
    keys , .
    check "cursor moves" wait_for 'cursor 43[34]\.'
    keys K
    check "markers go" wait_until_gone '1 433\.32000 MHz'
    press_escape 'cursor'
    keys b
    check "curve" wait_for '⠤⠤⠤⠤'
    keys b
    check "area" wait_for '█'
    keys l
    check "log axis of a narrow band" wait_for 'MHz . +432\.8'
    keys l
    check "linear axis" wait_for 'MHz . +432\.8'
    keys o
    check "offset labels" wait_for 'MHz .*-1\.0 +-0\.8 .* 0\.0 .* 1\.0'
    keys o
    check "absolute labels" wait_for 'MHz . +432\.8'
    keys PageUp
    check "looks back" wait_for 'PAUSED'
    for _ in $(seq 12); do
        keys PageUp PageUp PageUp PageUp PageUp PageUp PageUp PageUp PageUp PageUp
    done
    check "the oldest" wait_for '0:00\.0 ┤'
    keys End
    check "the newest" wait_until_gone '0:00\.0 ┤'
    keys Space
    check "goes on" wait_until_gone 'PAUSED'
    quit
    run "$utf8 COLORTERM=truecolor" "centre=0"
    check "running" wait_for 'lost 0'
    keys l
    check "no log axis below zero" wait_for 'needs frequencies above zero'
    quit
    run "$utf8" "real=1 rate=48000"
    check "audio" wait_for 'kHz . *0 '
    keys l
    keys p
    check "a note's name" wait_for 'cursor 6\.00.* dBFS F#8 [+-][0-9.]+ cents'
    check "audio, log axis" wait_for ' Hz . .*50 .*100 .*1k .*10k'
    keys l
    check "audio, notes" wait_for 'C2 .*C4 .*C6 .*C8'
    keys l
    check "audio, linear again" wait_for 'kHz . *0 '
    keys I
    check "no names were given" wait_for 'no channel names'
    quit
    size 80 24
}

# mouse BUTTON COLUMN ROW [m]: what the terminal sends, columns and rows from 1.
mouse() { keys -l $'\033'"[<$1;$2;$3${4:-M}"; }
test_mouse() {
    size 120 30
    run "$utf8 COLORTERM=truecolor" "low=-100 high=-20"
    check "running" wait_for "$past_a_second ┤"
    check "the mouse is ours" eventually flags_are '#{mouse_all_flag}' 1
    # The carrier lies at a quarter of the 111 columns right of the gutter's 9.
    mouse 35 37 8
    check "pointing reads out" wait_for 'cursor 433\.32000 MHz -3[0-9]\.[0-9] dBFS '
    mouse 35 37 20
    check "in the waterfall with its time" \
        wait_for 'cursor 433\.3.* dBFS at [0-9]+:[0-5][0-9]\.[0-9]{3}'
    mouse 35 37 8
    mouse 0 37 8
    mouse 0 37 8 m
    check "a click sets a marker" wait_for '1 433\.32000 MHz -3'
    mouse 64 37 20
    mouse 64 37 20
    mouse 64 37 20
    check "the wheel zooms there" wait_for '433\.1 +433\.2 +433\.3 +433\.4'
    check "what was under it stays" wait_for '^ *MHz │'
    mouse 0 37 20
    mouse 32 90 20
    mouse 0 90 20 m
    check "dragging pans" wait_for '432\.8 +432\.9 +433\.0 +433\.1 +433\.2'
    check "dragging sets no marker" lacks '2 43[0-9.]+ MHz'
    mouse 64 3 5
    check "the wheel over the scale shifts it" wait_until_gone '^ +-100 ┤'
    keys M
    check "the mouse is the terminal's" wait_for "the mouse is the terminal's"
    check "told so" eventually flags_are '#{mouse_all_flag}' 0
    quit
    size 80 24
}

test_gaps_and_messages() {
    run "$utf8 COLORTERM=truecolor" "gap=15 noise=1"
    check "a gap in its place" wait_for '^ +gap ┤'
    check "its samples are counted" wait_for 'lost [1-9]'
    check "what a library prints shows in the last row" wait_for_in_row 24 'ALSA lib noise.c:[0-9]+'
    check "and nowhere else" [ "$(grep -c 'ALSA' "$dir/screen")" = 1 ]
    quit
    run "$utf8" "seconds=0.5 stay=1"
    check "stays after the end" wait_for_in_row 24 '^ END '
    quit
}

test_resize_storm() {
    run "$utf8 COLORTERM=truecolor" "gap=40"
    check "running" wait_for 'q quit'
    for _ in $(seq 200); do
        size $((1 + RANDOM % 300)) $((1 + RANDOM % 100))
    done
    size 80 24
    check "picture after 200 sizes" wait_for '^ +MHz . +433\.0 .*435\.0'
    check "all of it after 200 sizes" wait_for_picture 80 24
    check "axis in its row" wait_for_in_row 10 'MHz'
    quit
}

# Every way out leaves the modes, the cursor and the screen as they were.
way_out() { # NAME ARGUMENTS HOW...
    local name=$1 arguments=$2
    shift 2
    wipe
    keys "clear; stty -g > $dir/before; echo kept-line; env $utf8 $demo $arguments" Enter
    check "$name: up" wait_for 'q quit|MHz'
    check "$name: on the alternate screen, no cursor" \
        eventually flags_are '#{alternate_on} #{cursor_flag}' "1 0"
    "$@"
    check "$name: over" wait_for_shell
    keys "echo code=\$?; stty -g > $dir/after" Enter
    check "$name: shell works" wait_for '^code=[0-9]+'
    eventually is_filled "$dir/after"
    check "$name: modes" cmp -s "$dir/before" "$dir/after"
    check "$name: cursor, main screen, no mouse" \
        eventually flags_are '#{alternate_on} #{cursor_flag} #{mouse_any_flag}' "0 1 0"
    [ $is_sanitized = 1 ] || check "$name: what was there" wait_for '^kept-line'
    rm -f "$dir/after"
}
send() { # SIGNAL: to the demo in our own pane, the shell's only child once its picture is there
    local shell
    shell=$(t display-message -p '#{pane_pid}')
    kill "-$1" "$(tr -d ' ' < "/proc/$shell/task/$shell/children")"
}
quit_after_chatter() {
    check "chatter" wait_for 'ALSA lib noise.c'
    keys q
}
# code NAME NUMBER: the shell saw that the signal ended it.
code() { check "$1: exit code $2" wait_for "^code=$2"; }

test_ways_out() {
    way_out q "" keys q
    code q 0
    way_out end "" send USR1
    code end 0
    local -A number=([INT]=2 [TERM]=15 [HUP]=1 [QUIT]=3 [SEGV]=11 [ABRT]=6 [FPE]=8)
    for signal in INT TERM HUP QUIT SEGV ABRT FPE; do
        way_out "SIG$signal" "" send "$signal"
        [ $is_sanitized = 1 ] || code "SIG$signal" $((128 + ${number[$signal]}))
    done
    way_out "Ctrl-C" "" keys C-c
    code "Ctrl-C" 130
    way_out "abort in the engine's thread" "crash=1" send USR1
    way_out "chatter on stderr" "noise=1" quit_after_chatter
    check "chatter is shown afterwards" wait_for 'ALSA lib noise.c:0: chatter'
}

test_suspend() {
    keys "clear; stty -g > $dir/before" Enter
    run "$utf8" ""
    check "up" wait_for 'q quit'
    keys C-z
    check "stopped" wait_for 'Stopped'
    rm -f "$dir/after"
    keys "stty -g > $dir/after" Enter
    eventually is_filled "$dir/after"
    check "modes while stopped" cmp -s "$dir/before" "$dir/after"
    check "screen while stopped" \
        eventually flags_are '#{alternate_on} #{cursor_flag}' "0 1"
    keys fg Enter
    check "drawn again" wait_for 'q quit'
    check "screen again" eventually flags_are '#{alternate_on} #{cursor_flag}' "1 0"
    keys +
    check "keys again" wait_for 'MHz . .*434\.4'
    quit
}

test_refusals() {
    for term in no-such-terminal dumb ""; do
        run "TERM='$term' LANG=C.UTF-8" ""
        check "TERM='$term'" wait_for 'TERM.*set TERM to'
        check "TERM='$term': at the shell" wait_for_shell
    done
    run "$utf8" "seconds=1 > $dir/out 2> $dir/err"
    check "stdout a file" wait_for_shell
    eventually is_filled "$dir/err"
    check "stdout a file: nothing written" [ ! -s "$dir/out" ]
    check "stdout a file: said so" grep -q 'not a terminal' "$dir/err"
}

for name in test_standard_size test_vt100 test_colour_ladder test_sizes test_keys \
    test_cursor_and_history test_mouse test_gaps_and_messages test_resize_storm test_ways_out \
    test_suspend test_refusals; do
    echo "# $name"
    $name
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
