#!/bin/bash
# `claw run` as a tool in scripts: stdout, stderr, exit codes, pipes and signals. A Rust test runs this file with:
#   CLAW    the command
#   AGENT   the scripted agent, which plays claude
#   SCRIPTS a folder with the agent's scripts
#   WORK    an empty folder, to work in
# Each failed check is printed, and the exit code is 1 then.
set -u
cd "$WORK" || exit 1
export CLAW_CLAUDE_PATH="$AGENT"
failed=0

# Runs claw with a script of the agent: play SCRIPT ARGUMENTS... ; stdin is passed on.
play() {
    local script=$1
    shift
    CLAW_AGENT_SCRIPT="$SCRIPTS/$script.json" "$CLAW" "$@" >out 2>err
    code=$?
}

# Checks that two texts are equal: equal WHAT FOUND EXPECTED
equal() {
    if [ "$2" != "$3" ]; then
        printf '%s: expected "%s", found "%s"; stderr: %s\n' "$1" "$3" "$2" "$(head -c 2000 err)"
        failed=1
    fi
}

# Checks that a file has a text: has WHAT FILE TEXT
has() {
    if ! grep -qF -- "$3" "$2"; then
        printf '%s: no "%s" in %s: %s\n' "$1" "$3" "$2" "$(head -c 2000 "$2")"
        failed=1
    fi
}

# Waits until a file has text.
await() {
    local tries=0
    until [ -s "$1" ]; do
        tries=$((tries + 1))
        if [ $tries -gt 600 ]; then
            echo "$1 stays empty"
            failed=1
            return
        fi
        read -rt 0.05 <> <(:) || true
    done
}

# Checks that no process of the agent is left that was started with this script.
none_left() {
    local left
    left=$(grep -lzF "CLAW_AGENT_SCRIPT=$SCRIPTS/$2.json" /proc/[0-9]*/environ 2>/dev/null |
        cut -d/ -f3 | while read -r pid; do
            # A zombie has ended; the shell's own children that look at it are no agents.
            [ "$(readlink "/proc/$pid/exe" 2>/dev/null)" = "$AGENT" ] && echo "$pid"
        done)
    equal "$1: no process is left" "$left" ""
}

# The answer alone is on stdout.
play answer run 'What is 2 + 2?' </dev/null
equal 'answered' "$code" 0
equal 'the answer' "$(cat out)" 'Four.'
has 'the summary is on stderr' err 'done: 1 turn'
equal 'the answer is not on stderr' "$(grep -c Four err)" 0

# Text before a tool is no part of the answer.
play denied run 'Count.' </dev/null
equal 'a tool was denied' "$code" 5
equal 'the answer after a denial' "$(cat out)" 'I could not.'
has 'what was said before the tool' err 'Let me see.'
has 'the denial' err 'there is no terminal to ask on'

play error run 'Fail.' </dev/null
equal 'an error result' "$code" 1
equal 'no answer' "$(cat out)" ''
has 'the error' err 'error:'

play turns run 'Search.' </dev/null
equal 'a limit of turns' "$code" 6
play budget run 'Search.' </dev/null
equal 'a limit of the budget' "$code" 6
play rate run 'Search.' </dev/null
equal 'a limit of the account' "$code" 6

play login run 'Say hello.' </dev/null
equal 'not logged in' "$code" 7
has 'how to log in' err '/login'

play dies run 'Say hello.' </dev/null
equal 'claude dies' "$code" 4
CLAW_CLAUDE_PATH="$WORK/nothing" play answer run 'Hello.' </dev/null
equal 'no claude' "$code" 3
play answer run 'Hello.' --file nothing.txt </dev/null
equal 'no file' "$code" 3
play answer run 'Hello.' --no-such-option </dev/null
equal 'wrong usage' "$code" 2
play answer run 'Hello.' --fork </dev/null
equal 'a fork of nothing' "$code" 2
play answer run </dev/null
equal 'no prompt' "$code" 2

# Forms of output.
play answer run 'Hello.' --output json </dev/null
equal 'json' "$code $(wc -l <out)" '0 1'
has 'the result' out '"type":"result"'
play answer run 'Hello.' -o ndjson </dev/null
has 'all messages' out '"type":"assistant"'
equal 'nothing but messages' "$(grep -vc '^{' out)" 0
equal 'no drawing beside all messages' "$(cat err)" ''
echo '{"type":"object"}' >schema.json
play structured run 'Hello.' --schema schema.json </dev/null
equal 'structured output' "$code $(cat out)" '0 {"sum":4}'
play answer run 'Hello.' --schema schema.json </dev/null
equal 'no structured output' "$code" 1
echo '[1]' >schema.json
play answer run 'Hello.' --schema schema.json </dev/null
equal 'a schema that is none' "$code" 2

# Quiet and verbose.
play answer run 'Hello.' --quiet </dev/null
equal 'quiet' "$code $(cat out) $(cat err)" '0 Four. '
play denied run 'Count.' --quiet </dev/null
has 'a denial is said even so' err 'denied'
play error run 'Fail.' --quiet </dev/null
has 'an error is said even so' err 'claw: '
play answer run 'Hello.' --verbose </dev/null
has 'verbose' err 'Session '

# Stdin.
play answer run 'Explain.' <<<'a log'
equal 'stdin is context' "$code $(cat out)" '0 Four.'
play answer run - <<<'What is 2 + 2?'
equal 'the prompt of a dash' "$code $(cat out)" '0 Four.'
play answer run <<<'What is 2 + 2?'
equal 'the prompt of stdin' "$code $(cat out)" '0 Four.'
play answer run '' </dev/null
equal 'an empty prompt' "$code $(cat out)" '2 '
has 'an empty prompt is said' err 'the prompt is empty'
play answer run ' ' <<<' '
equal 'a prompt of spaces' "$code $(cat out)" '2 '
play answer run '' <<<'What is 2 + 2?'
equal 'an empty prompt before stdin' "$code $(cat out)" '0 Four.'
mkfifo never
exec 8<>never
play answer run 'Hello.' <never
equal 'a stdin that is never closed' "$code $(cat out)" '0 Four.'
play answer run <never
equal 'no prompt on a stdin that is never closed' "$code" 2
exec 8>&-

# Closed streams.
play answer run 'Hello.' </dev/null 2>/dev/null
CLAW_AGENT_SCRIPT="$SCRIPTS/answer.json" "$CLAW" run 'Hello.' </dev/null 2>err >&-
equal 'no stdout' "$?" 0
CLAW_AGENT_SCRIPT="$SCRIPTS/answer.json" "$CLAW" run 'Hello.' </dev/null 2>&- >out
equal 'no stderr' "$? $(cat out)" '0 Four.'
{ CLAW_AGENT_SCRIPT="$SCRIPTS/hangs.json" "$CLAW" run 'Hello.' -q </dev/null 2>err; echo $? >code; } | :
equal 'a reader that has left' "$(cat code)" 141
equal 'it is quiet then' "$(cat err)" ''
none_left 'a reader that has left' hangs
{ CLAW_AGENT_SCRIPT="$SCRIPTS/lingers.json" "$CLAW" run 'Hello.' -q </dev/null 2>err; echo $? >code; } | head -1 >out
equal 'a reader that has left with the answer' "$(cat code) $(cat out)" '0 Four.'
none_left 'a reader that has left with the answer' lingers

# Signals, at a turn that does not end.
for signal in TERM INT; do
    : >err
    # A shell without job control lets its children ignore SIGINT, so env sets it back.
    CLAW_AGENT_SCRIPT="$SCRIPTS/hangs.json" env --default-signal=INT "$CLAW" run 'Hello.' --verbose </dev/null >out 2>err &
    pid=$!
    await err
    kill -s $signal $pid
    wait $pid
    code=$?
    [ $signal = TERM ] && expected=143 || expected=130
    equal "SIG$signal" "$code" $expected
    none_left "SIG$signal" hangs
done

# Many at once, as xargs starts them.
export CLAW_AGENT_SCRIPT="$SCRIPTS/answer.json"
seq 8 | xargs -P 4 -I{} "$CLAW" run -q 'Prompt {}' >out 2>err
equal 'xargs' "$? $(sort -u out) $(wc -l <out)" '0 Four. 8'
none_left 'xargs' answer

exit $failed
