#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Whether this bundle is whole and right on this machine: hashes, then the golden cases. One line a step; exit code 0 or 1.
# Arguments are for bin/TRIPLE/lathe-check. Needs sh, dirname and uname, sha256sum if it is there, and readlink
# if it is called by a link.
self=$0
if [ -L "$self" ]; then
    self=$(readlink -f -- "$0" 2>/dev/null) || { echo "call $0 by its own path, not by a link to it" >&2; exit 1; }
fi
here=$(CDPATH= cd -- "$(dirname -- "$self")" 2>/dev/null && pwd) || exit 1
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
    echo "$check may not be executed: chmod +x it, unpack the bundle so that modes are kept, or copy it to a disk that is not mounted noexec" >&2
    exit 1
fi
exec "./$check" "$@" .
