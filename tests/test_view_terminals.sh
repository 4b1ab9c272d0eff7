#!/bin/bash
# ctest-labels: tui
# ctest-timeout: 300
# The view where tmux is only what we look through: the Linux console's type, GNU screen of 8 and
# 256 colours, and over ssh (where a server can be run), with keys, sizes, and all ways out.
set -u
# shellcheck source=tests/tmux_pane.sh
. "$(dirname "$0")/tmux_pane.sh"

# What code page 437 has, and so the fonts of the console, of all that the view could draw.
few_glyphs='─│┌┐└┘├┤┬┴┼▀▄█▌▐░▒▓·▲▼±²'
other_glyphs() { LC_ALL=C.UTF-8 sed "s/[ -~$few_glyphs]//g" "$dir/screen" | tr -d '\n'; }
has_few_glyphs() { screen && [ -z "$(other_glyphs)" ]; }

test_linux_console() {
    size 100 30
    run "LANG=C.UTF-8 TERM=linux" "low=-100 high=-30"
    check "console: a picture" wait_for '▀'
    check "console: of few glyphs" has_few_glyphs
    check "console: basic colours" colours '\[[0-9;]*3[0-7]m'
    check "console: no others" no_colours '[34]8;[25];'
    keys p
    check "console: cursor" wait_for 'cursor 433\.32000 MHz'
    check "console: cursor of few glyphs" has_few_glyphs
    keys b x
    check "console: hold" wait_for '[▀▄─_]{8}'
    check "console: curve and hold of few glyphs" has_few_glyphs
    keys '?'
    check "console: help" wait_for 'keys 1/'
    check "console: help of few glyphs" has_few_glyphs
    press_escape 'keys 1/'
    quit
    run "LANG=C TERM=linux" ""
    check "console, C locale" wait_for '^ +MHz \|'
    check "console, C locale: only ASCII" eventually only_ascii
    quit
    size 80 24
}
only_ascii() { screen && [ "$(LC_ALL=C tr -d '\n -~' < "$dir/screen" | wc -c)" = 0 ]; }

# in_screen TYPE: a shell in GNU screen of that type, in the pane.
in_screen() {
    printf 'startup_message off\naltscreen on\nshell "%s"\n' "$dir/shell" > "$dir/screenrc"
    printf '#!/bin/bash\nexport PS1="ready>"\nexec bash --norc --noprofile\n' > "$dir/shell"
    chmod +x "$dir/shell"
    local screen="screen -U -S $socket -T $1 -c $dir/screenrc"
    keys "clear; env LANG=C.UTF-8 SCREENDIR=$dir/sockets TMOUT=300 $screen" Enter
    eventually flags_are '#{alternate_on}' 1
    check "$1: a shell" wait_for_shell
}
out_of_screen() {
    keys "exit" Enter
    eventually flags_are '#{alternate_on}' 0
    check "back from screen" wait_for_shell
}

test_gnu_screen() {
    mkdir -m 700 "$dir/sockets"
    for type in screen screen-256color; do
        in_screen $type
        local show="env COLORTERM=truecolor $demo low=-100 high=-20"
        keys "clear; stty -g > $dir/before; echo kept-line; $show" Enter
        check "$type: a picture" wait_for '▀'
        check "$type: all of it" wait_for_picture 80 24
        check "$type: axis" wait_for '^ +MHz . +433\.0 +433\.5 +434\.0 +434\.5 +435\.0'
        check "$type: time runs down" wait_for "$past_a_second ┤"
        check "$type: no direct colour" no_colours '[34]8;2;'
        if [ $type = screen-256color ]; then
            check "$type: 256 colours" colours '48;5;[0-9]+'
        fi
        keys p
        check "$type: keys" wait_for 'cursor 433\.32000 MHz -3[0-9]\.[0-9] dBFS'
        keys + + Left
        check "$type: arrows" wait_for 'MHz . .*433\.2 .*433\.4'
        keys 0
        for _ in $(seq 30); do
            size $((20 + RANDOM % 180)) $((5 + RANDOM % 60))
        done
        size 120 30
        check "$type: after 30 sizes" wait_for_picture 120 30
        # Not before screen itself knows of the size: it makes a main screen that is shown lower by
        # taking rows from its top, whether or not there are empty ones below.
        size 80 24
        check "$type: small again" wait_for_picture 80 24
        keys C-z
        check "$type: Ctrl-Z" wait_for 'Stopped'
        keys fg Enter
        check "$type: fg" wait_for 'q quit'
        keys q
        check "$type: over" wait_for_shell
        check "$type: what was there" wait_for '^kept-line'
        keys "stty -g > $dir/after" Enter
        eventually is_filled "$dir/after"
        check "$type: modes" cmp -s "$dir/before" "$dir/after"
        check "$type: cursor" eventually flags_are '#{cursor_flag}' 1
        rm -f "$dir/after"
        out_of_screen
    done
}

received_in_row() { row "$1" | grep -oE 'received [0-9.]+ [kMG]?'; }
has_received_more() { # THAN
    screen && [ -n "$(received_in_row 24)" ] && [ "$(received_in_row 24)" != "$1" ]
}
# Detached and attached again, the picture is there and goes on.
test_screen_detach() {
    local received
    in_screen screen-256color
    keys "$demo" Enter
    check "detach: up" wait_for 'q quit'
    keys C-a d
    check "detached" wait_for 'detached'
    keys "clear; env SCREENDIR=$dir/sockets screen -U -r $socket" Enter
    check "attached: all of it" wait_for_picture 80 24
    received=$(received_in_row 24)
    check "attached: goes on" eventually has_received_more "$received"
    keys q
    check "attached: over" wait_for_shell
    out_of_screen
}

# A server of our own, for this user alone, on this machine alone.
start_sshd() {
    local server
    server=$(PATH=$PATH:/usr/sbin command -v sshd) || return 1
    [ "$(id -u)" != 0 ] || mkdir -p /run/sshd 2> /dev/null || return 1
    ssh-keygen -q -t ed25519 -N '' -f "$dir/host" &&
        ssh-keygen -q -t ed25519 -N '' -f "$dir/user" ||
        return 1
    port=$((20000 + RANDOM % 20000))
    printf '%s\n' "Port $port" "ListenAddress 127.0.0.1" "HostKey $dir/host" \
        "AuthorizedKeysFile $dir/user.pub" "StrictModes no" "UsePAM no" "PidFile none" \
        "PermitRootLogin yes" "PasswordAuthentication no" > "$dir/sshd_config"
    "$server" -D -e -f "$dir/sshd_config" 2> "$dir/sshd.log" &
    sshd_pid=$!
    eventually grep -q 'listening' "$dir/sshd.log"
}

test_ssh() {
    local port sshd_pid client show there
    if ! command -v ssh > /dev/null || ! start_sshd; then
        echo "# no ssh server to be had: not tried over ssh"
        return
    fi
    client="ssh -tt -q -F none -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null"
    client="$client -i $dir/user -p $port 127.0.0.1"
    show="env TERM=xterm-256color COLORTERM=truecolor $client LANG=C.UTF-8 $demo low=-100 high=-20"
    keys "clear; stty -g > $dir/before; echo kept-line; $show" Enter
    check "ssh: a picture" wait_for '▀'
    check "ssh: all of it" wait_for_picture 80 24
    check "ssh: 256 colours, since COLORTERM does not come along" colours '48;5;[0-9]+'
    keys p
    check "ssh: keys" wait_for 'cursor 433\.32000 MHz'
    size 120 30
    check "ssh: another size" wait_for_picture 120 30
    size 80 24
    check "ssh: and back" wait_for_picture 80 24
    keys q
    check "ssh: over" wait_for_shell
    check "ssh: what was there" wait_for '^kept-line'
    keys "stty -g > $dir/after" Enter
    eventually is_filled "$dir/after"
    check "ssh: modes" cmp -s "$dir/before" "$dir/after"
    check "ssh: cursor, main screen, no mouse" \
        eventually flags_are '#{alternate_on} #{cursor_flag} #{mouse_any_flag}' "0 1 0"
    rm -f "$dir/after"
    # The line goes dead: the program there must not stay.
    there="echo \$\$ > $dir/there; exec env LANG=C.UTF-8 $demo"
    keys "clear; env TERM=xterm-256color $client '$there'" Enter
    check "ssh: up again" wait_for 'q quit'
    kill "$(ps -o ppid= -p "$(cat "$dir/there")" | tr -d ' ')"
    check "ssh: ends with its line" eventually is_gone "$(cat "$dir/there")"
    kill "$sshd_pid"
    wait "$sshd_pid" 2> /dev/null
    keys "" Enter
    check "ssh: a shell again" wait_for_shell
}
is_gone() { ! kill -0 "$1" 2> /dev/null; }

tests="test_linux_console"
if command -v screen > /dev/null; then
    tests="$tests test_gnu_screen test_screen_detach"
else
    echo "# no GNU screen: not tried in it"
fi
for name in $tests test_ssh; do
    echo "# $name"
    $name
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
