#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# reproduce.sh MODEL [LATHE [OPTION...]]: Lathe @LATHE@ makes this bundle anew of the model that it was made of, and says
# whether it is the same. OPTION: such as --golden DIR, where its data sets came from a folder of their own.
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd) || exit 1
model=$1 lathe=${2:-lathe}
[ -f "$model" ] || { echo "usage: reproduce.sh MODEL [LATHE [OPTION...]]" >&2; exit 2; }
shift
[ $# -eq 0 ] || shift
exec "$lathe" bundle reproduce "$here/.." "$model" "$@"
