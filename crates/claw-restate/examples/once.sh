#!/bin/sh
# once.sh NAME COMMAND…: runs a command once in a turn, also if the turn is cut and runs again on another host.
#
# ONCE_FOLDER is a folder that all hosts have. CLAW_INVOCATION is the same in all attempts of a turn, and differs from turn
# to turn; claw-restate sets it.
set -eu
case $1 in */* | .*) echo "$1: a name without a slash or a dot at its beginning" >&2; exit 64 ;; esac
record="$ONCE_FOLDER/$CLAW_INVOCATION-$1"
shift
if mkdir "$record" 2>/dev/null; then
    # A command that fails may be tried again.
    "$@" >"$record/output" || { status=$?; rm -r "$record"; exit "$status"; }
    touch "$record/done"
elif [ ! -e "$record/done" ]; then
    echo "An earlier attempt has begun this, and did not come to its end. Find out whether it is done." >&2
    exit 75
fi
cat "$record/output"
