#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# reproduce.sh MODEL [LATHE]: makes this bundle anew of the model that it was made of, and says whether it is the same.
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd) || exit 1
model=$1 lathe=${2:-lathe}
[ -f "$model" ] || { echo "usage: reproduce.sh MODEL [LATHE]" >&2; exit 2; }
expected=$(cut -c1-64 "$here/model.sha256")
found=$(sha256sum < "$model" | cut -c1-64)
if [ "$expected" != "$found" ]; then
    echo "this is another model: SHA-256 is $found, expected $expected" >&2
    exit 1
fi
version=$("$lathe" --version) || { echo "Lathe @LATHE@ is needed: name its program as the second argument" >&2; exit 1; }
if [ "$version" != "@LATHE@" ]; then
    echo "made by Lathe @LATHE@, and this is $version: the bytes may differ" >&2
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf -- "$work"' EXIT INT TERM
SOURCE_DATE_EPOCH=@CREATED@ "$lathe" bundle "$model" -o "$work/again" --options "$here/options.json" \
    --decisions "$here/decisions.json" || exit 1
"$lathe" bundle diff "$here/.." "$work/again"
