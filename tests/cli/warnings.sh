# SPDX-License-Identifier: Apache-2.0
# What an instruction warns of while it runs is told once, at its place, whatever the threads.
. "$SRC/tests/support/cli.sh"

cat >wide.pto <<'END'
!rows = !pto.tile_buf<vec, 8x8xf32>
!sum = !pto.tile_buf<vec, 8x8xf32, valid=?x?>
module {
  func.func @wide(%cols: index) attributes {pto.entry} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %t = pto.alloc_tile : !rows
    %tmp = pto.alloc_tile : !rows
    %s = pto.alloc_tile valid_row = %c8 valid_col = %cols : !sum
    scf.for %i = %c0 to %c8 step %c1 {
      pto.trowsum ins(%t, %tmp : !rows, !rows) outs(%s : !sum)
    }
    return
  }
}
END
expect 0 "$PTO" check -t a5 wide.pto && silent
expect 0 "$PTO" run -t a5 wide.pto 1 && silent
for options in '-b 1' '-b 8 -j 1' '-b 8 -j 2' '-b 8 -j 8'; do
    # shellcheck disable=SC2086
    expect 0 "$PTO" run -t a5 wide.pto 4 $options
    is "$(grep -c 'warning: ' .err)" 1
    says '^wide.pto:12:[0-9]+: warning: .*\[PTO-W0603\]$' && says 'found: '
    [ ! -f first ] && cp .err first
    same .err first
done
