# Sourced: the view's demo in a pane of tmux, for scripts that press keys and look at the screen.
# Exits with 77 where that cannot be had.
demo=${WEIR_BUILD_DIR:?}/tests/weir_view_demo
command -v tmux > /dev/null || { echo "skipped: no tmux"; exit 77; }
[ -x "$demo" ] || { echo "skipped: no weir_view_demo"; exit 77; }
if "$demo" seconds=1 2>&1 < /dev/null | grep -q 'no terminal view'; then
    echo "skipped: built without ncurses"
    exit 77
fi
if "${WEIR:-weir}" --version 2> /dev/null | grep -q "no terminal view"; then
    echo "skipped: built without ncurses"
    exit 77
fi

dir=$(mktemp -d)
socket=weir-test-$$
passed=0 failed=0
is_sanitized=0 # sanitizers end the process their own way after a fatal signal
grep -qE '__(asan|tsan)_init' "$demo" && is_sanitized=1
unset NO_COLOR COLORTERM LC_ALL LC_CTYPE STY TMUX
t() { tmux -L "$socket" -f /dev/null "$@"; }
finish() { t kill-server 2> /dev/null; rm -rf "$dir"; }
trap finish EXIT

check() { # check "what" command...
    local what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed: $what"
        sed 's/^/    |/' "$dir/screen" 2> /dev/null | head -60
    fi
}
screen() { t capture-pane -p > "$dir/screen"; }
has() { screen && LC_ALL=C.UTF-8 grep -qE -- "$1" "$dir/screen"; }
# eventually COMMAND...: until it succeeds. Nothing is a matter of time but giving up: a
# loaded machine may take long for anything.
eventually() {
    local end=$((SECONDS + 30))
    until "$@"; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.05
    done
}
lacks() { ! has "$1"; }
wait_for() { eventually has "$1"; } # PATTERN
wait_until_gone() { eventually lacks "$1"; }
at_the_prompt() { # on a line of its own, below all else
    screen
    grep -v '^$' "$dir/screen" | tail -n 1 | grep -qx 'ready>'
}
wait_for_shell() { eventually at_the_prompt; }
has_in_row() { screen && row "$1" | grep -qE -- "$2"; }
wait_for_in_row() { eventually has_in_row "$1" "$2"; } # ROW PATTERN
row() { sed -n "$1p" "$dir/screen"; }
has_colours() { t capture-pane -e -p > "$dir/colours"; grep -qE -- "$1" "$dir/colours"; }
colours() { eventually has_colours "$1"; }
flags_are() { [ "$(t display-message -p "$1")" = "$2" ]; } # FORMAT VALUES
is_filled() { [ -s "$1" ]; }
no_colours() { ! has_colours "$1"; }
# The picture of that size, all of it, from 80 columns on. A row alone may be one of a larger
# picture, which tmux or screen has cut or wrapped to the new size before the view knows of it.
is_picture() { # COLUMNS ROWS
    has_in_row 1 '^ synth:band' &&
        row "$2" | LC_ALL=C.UTF-8 grep -qE "^ .{$(($1 - 8))}q quit$"
}
wait_for_picture() { eventually is_picture "$1" "$2"; }
size() { t resize-window -x "$1" -y "$2"; }
keys() { t send-keys "$@"; }
# Esc and a key right after it are that key with Alt: until what Esc takes away is gone.
press_escape() { # PATTERN
    keys Escape
    check "Esc: no $1" wait_until_gone "$1"
}
# What the pane shows goes, so that nothing of it is taken for what comes.
wipe() {
    t send-keys -R
    t clear-history
}
# run ENVIRONMENT ARGUMENTS: starts the demo from the shell in the pane.
run() {
    wipe
    keys "clear; env $1 $demo $2" Enter
}
quit() {
    keys q
    check "back at the shell" wait_for_shell
}
utf8="LANG=C.UTF-8 TERM=tmux-256color"
# A label of the waterfall's time, however long ago the demo began.
past_a_second='([1-9][0-9]*:[0-5][0-9]|0:0[1-9]|0:[1-5][0-9])\.[0-9]'

# TMOUT: should this script be killed, the shell and with it the server end by themselves.
t new-session -d -x 80 -y 24 "TMOUT=300 PS1='ready>' bash --norc --noprofile" || exit 1
t set-option -g status off > /dev/null
t set-option -g history-limit 200 > /dev/null
size 80 24
check "a shell" wait_for_shell

