# SPDX-License-Identifier: Apache-2.0
# Every example of the demonstration at small size on the NPU targets: each is compared with double precision there.
. "$SRC/tests/support/cli.sh"
[ -x "$BUILD/examples/attention-check" ] || exit 77
DEMO=small expect 0 bash "$SRC/scripts/demo.sh"
says 'against double|differ from a plain' .out
