#!/bin/sh
# Installs the command claw from a release: the archive for this system, after a check of its SHA-256.
#
#   sh install.sh [--version VERSION] [--to FOLDER]
#
# FOLDER is ~/.local by default. The command is put into its folder bin, completions and manual pages into its folder
# share. CLAW_RELEASES names another place of the releases.
set -eu

releases=${CLAW_RELEASES:-https://github.com/claw-rs/claw/releases}
version=
to=${HOME:-}/.local

fail() {
  printf 'install.sh: %s\n' "$1" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  case $1 in
    --version | --to) [ $# -ge 2 ] || fail "$1 needs a value" ;;
  esac
  case $1 in
    --version) version=$2 && shift 2 ;;
    --to) to=$2 && shift 2 ;;
    *) fail "unknown argument: $1 (--version VERSION, --to FOLDER)" ;;
  esac
done
case $version in
  *[!0-9A-Za-z.+-]*) fail "not a version: $version" ;;
esac
case $to in
  /.local) fail 'HOME is not set: name a folder with --to' ;;
  /*) ;;
  *) to=$PWD/$to ;;
esac

case $(uname -s)-$(uname -m) in
  Linux-x86_64 | Linux-amd64) target=x86_64-unknown-linux-musl ;;
  Linux-aarch64 | Linux-arm64) target=aarch64-unknown-linux-musl ;;
  Darwin-x86_64) target=x86_64-apple-darwin ;;
  Darwin-arm64 | Darwin-aarch64) target=aarch64-apple-darwin ;;
  *) fail "there is no archive for $(uname -s) on $(uname -m). Build claw with cargo install" ;;
esac

fetch() {
  if command -v curl >/dev/null 2>&1; then
    curl -fsSL --retry 3 -o "$2" "$1" || fail "cannot download $1"
  elif command -v wget >/dev/null 2>&1; then
    wget -q -O "$2" "$1" || fail "cannot download $1"
  else
    fail 'curl or wget is needed'
  fi
}

sha256() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum "$1" | cut -d ' ' -f 1
  elif command -v shasum >/dev/null 2>&1; then
    shasum -a 256 "$1" | cut -d ' ' -f 1
  else
    fail 'sha256sum or shasum is needed'
  fi
}

if [ -n "$version" ]; then
  from=$releases/download/v$version
else
  from=$releases/latest/download
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

fetch "$from/SHA256SUMS" "$work/SHA256SUMS"
line=$(grep -- "-$target.tar.gz\$" "$work/SHA256SUMS" | head -n 1) || true
[ -n "$line" ] || fail "the release has no archive for $target"
expected=${line%% *}
archive=${line##* }
case $archive in
  */* | '') fail "SHA256SUMS has an unexpected name: $archive" ;;
esac
fetch "$from/$archive" "$work/$archive"
[ "$(sha256 "$work/$archive")" = "$expected" ] || fail "$archive is not the file that SHA256SUMS names; nothing was installed"

mkdir -p "$to"
tar -xzf "$work/$archive" --strip-components=1 -C "$to"
printf 'installed %s\n' "$("$to/bin/claw" --version) in $to/bin"
case :$PATH: in
  *":$to/bin:"*) ;;
  *) printf 'Add %s to PATH to run it as claw.\n' "$to/bin" ;;
esac
