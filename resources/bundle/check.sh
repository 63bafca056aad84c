#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Whether this bundle is whole and right on this machine: hashes, then the golden cases. One line a step; exit code 0 or 1.
# Arguments are for bin/TRIPLE/lathe-check. Needs sh, dirname and uname, and sha256sum if it is there.
here=$(CDPATH= cd -- "$(dirname -- "$0")" 2>/dev/null && pwd) || exit 1
cd -- "$here" || exit 1
if command -v sha256sum >/dev/null 2>&1; then
    said=$(LC_ALL=C sha256sum -c SHA256SUMS 2>&1)
    status=$?
    wrong=$(printf '%s\n' "$said" | while IFS= read -r line; do
        case $line in
        *': OK') ;;
        *) printf '%s\n' "$line" ;;
        esac
    done)
    if [ "$status" -ne 0 ] || [ -n "$wrong" ]; then
        printf '%s\n' "$wrong" >&2
        echo 'hashes: NOT as they were written: copy the bundle again; do not strip or patch its files' >&2
        exit 1
    fi
    [ -s SHA256SUMS ] || { echo 'hashes: SHA256SUMS is missing' >&2; exit 1; }
    echo 'hashes: good'
else
    echo 'hashes: not looked at, since there is no sha256sum here'
fi
machine=$(uname -m 2>/dev/null)
case $machine in
amd64) machine=x86_64 ;;
arm64) machine=aarch64 ;;
esac
check=bin/$machine-linux-gnu/lathe-check
if [ ! -f "$check" ]; then
    echo "this bundle is made for @MACHINES@, this machine is ${machine:-unknown}" >&2
    exit 1
fi
if [ ! -x "$check" ]; then
    echo "$check may not be executed: chmod +x it, or unpack the bundle so that modes are kept" >&2
    exit 1
fi
exec "./$check" "$@" .
