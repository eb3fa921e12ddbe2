#!/bin/sh
# Uploads the packages of the folder `stage` in the order of the file `order`. What the registry has already is passed
# by. Where it takes no more new names for now (status 429), the script waits for ten minutes and goes on, so it can be
# left alone, and be started again at any time.
#
#   sh upload.sh [OPTION OF CARGO PUBLISH]...
#
# UPLOAD_PAUSE: other seconds to wait.
set -eu
cd "$(dirname "$0")/stage"
said=$(mktemp)
trap 'rm -f "$said"' EXIT
trap 'exit 1' HUP INT TERM

while read -r name; do
  until cargo publish --package "$name" --allow-dirty --no-verify "$@" </dev/null 2>"$said"; do
    cat "$said" >&2
    if grep -q 'already exists on' "$said"; then
      break
    elif grep -q 'status 429' "$said"; then
      echo "$(date +%H:%M) $name waits: the registry takes no new name now"
      sleep "${UPLOAD_PAUSE:-610}"
    else
      echo "upload.sh: $name was not uploaded, nor what comes behind it" >&2
      exit 1
    fi
  done
  echo "$(date +%H:%M) $name is there"
done <../order
