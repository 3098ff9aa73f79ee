# SPDX-License-Identifier: Apache-2.0
# pto check --deep: what pto run --check would find, without inputs; where a program is not static, which place and why.
. "$SRC/tests/support/cli.sh"

# program FILE ROWS BETWEEN: loads ROWS rows of x, BETWEEN, relu, stores
program() {
    cat >"$1" <<END
!T = !pto.tile_buf<vec, 8x8xf32>
!G = !pto.tensor_view<?x8xf32>
!P = !pto.partition_tensor_view<8x8xf32>
module {
  func.func @f(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %n: index) {
    %z = arith.constant 0 : index
    %one = arith.constant 1 : index
    %eight = arith.constant 8 : index
    %four = arith.constant 4 : index
    %a = arith.constant 0 : i64
    %b = arith.constant 256 : i64
    %gx = pto.make_tensor_view %x, shape = [%n, %eight], strides = [%eight, %one] : !G
    %gy = pto.make_tensor_view %y, shape = [%n, %eight], strides = [%eight, %one] : !G
    %t = pto.alloc_tile addr = %a : !T
    %u = pto.alloc_tile addr = %b : !T
    scf.for %i = %z to %$2 step %one {
      %row = arith.muli %i, %eight : index
      %px = pto.partition_view %gx, offsets = [%row, %z], sizes = [%eight, %eight] : !G -> !P
      %py = pto.partition_view %gy, offsets = [%row, %z], sizes = [%eight, %eight] : !G -> !P
      pto.tload ins(%px : !P) outs(%t : !T)
      $3
      pto.trelu ins(%t : !T) outs(%u : !T)
      pto.barrier <PIPE_ALL>
      pto.tstore ins(%u : !T) outs(%py : !P)
      pto.barrier <PIPE_ALL>
    }
    return
  }
}
END
}
program good.pto four 'pto.barrier <PIPE_ALL>'
program race.pto four ''
program loop.pto n ''
program load.pto n "%v = pto.load_scalar %x[%z] : !pto.ptr<f32> -> f32"

expect 0 "$PTO" check --deep -t a5 good.pto && silent
expect 0 "$PTO" check -t a5 race.pto && silent
refused 3 PTO-E1101 "$PTO" check --deep -t a5 race.pto
says '^race.pto:22:[0-9]+: error: TRELU: .*\[PTO-E1101\]$' && says 'met 4 times'

# the same as a run says, word for word
for _ in $(seq 256); do printf '\x00\x00\x80\x3f'; done | npy x.npy '<f4' '32, 8'
cp .err deep
expect 3 "$PTO" run --check race,init,sync -t a5 race.pto x=x.npy y:=@32x8 n=32
diff <(grep -v '^y: ' deep) .err || fail "a run tells something else"

# not static
expect 0 "$PTO" check --deep -t a5 loop.pto
says '^loop.pto:16:5: warning: .*\[PTO-W1130\]$' && says 'the loop depends on argument n'
sed 's/%\$2/x/; s/scf.for %i = %z to %n/%w = arith.addi %n, %one : index\n    scf.for %i = %z to %w/' loop.pto >sum.pto
expect 0 "$PTO" check --deep -t a5 sum.pto && says 'the loop depends on argument n'
# findings before that place are told all the same
sed 's/^    scf.for/    pto.trelu ins(%t : !T) outs(%u : !T)\n    scf.for/' loop.pto >init.pto
refused 3 PTO-E1120 "$PTO" check --deep -t a5 init.pto && says 'PTO-W1130'
cat >element.pto <<'END'
!T = !pto.tile_buf<vec, 8x8xf32>
module {
  func.func @f(%x: !pto.ptr<i32>) {
    %z = arith.constant 0 : index
    %a = pto.alloc_tile : !T
    %k = arith.constant 1.0 : f32
    %v = pto.load_scalar %x[%z] : !pto.ptr<i32> -> i32
    %zero = arith.constant 0 : i32
    %c = arith.cmpi eq, %v, %zero : i32
    scf.if %c {
      pto.texpands ins(%k : f32) outs(%a : !T)
    }
    return
  }
}
END
expect 0 "$PTO" check --deep -t a5 element.pto && says '^element.pto:10:5: warning' &&
    says 'the branch depends on the element that is loaded in line 7'

# blocks: a window that moves with the block, and one that does not
for row in own z; do
    cat >blocks_$row.pto <<END
!T = !pto.tile_buf<vec, 8x8xf32>
!G = !pto.tensor_view<64x8xf32>
!P = !pto.partition_tensor_view<8x8xf32>
module {
  func.func @f(%y: !pto.ptr<f32>) {
    %z = arith.constant 0 : index
    %one = arith.constant 1 : index
    %eight = arith.constant 8 : index
    %rows = arith.constant 64 : index
    %k = arith.constant 1.0 : f32
    %block = pto.get_block_idx
    %b = arith.index_cast %block : i64 to index
    %own = arith.muli %b, %eight : index
    %gy = pto.make_tensor_view %y, shape = [%rows, %eight], strides = [%eight, %one] : !G
    %py = pto.partition_view %gy, offsets = [%$row, %z], sizes = [%eight, %eight] : !G -> !P
    %t = pto.alloc_tile : !T
    pto.texpands ins(%k : f32) outs(%t : !T)
    pto.tstore ins(%t : !T) outs(%py : !P)
    return
  }
}
END
done
expect 0 "$PTO" check --deep -t a5 -b 8 blocks_own.pto && silent
refused 3 PTO-E1104 "$PTO" check --deep -t a5 -b 8 blocks_z.pto
# the ninth block leaves the argument
refused 1 PTO-E0914 "$PTO" check --deep -t a5 -b 9 blocks_own.pto

refused 3 PTO-E1101 "$PTO" check --deep -t a5 race.pto good.pto
expect 3 "$PTO" check --deep --json -t a5 race.pto && silent && says '"rule": *"PTO-E1101"' .out
expect 2 "$PTO" check -b 3 good.pto
# the classic rules come first
expect 1 "$PTO" check --deep -t a5 <(sed 's/8x8xf32>$/8x7xf32>/' good.pto)

# several functions and none marked: each may be the entry
sed 's/@f(/@g(/; /^module/,/^}$/!d; /^module/d; /^}$/d' race.pto >second
sed '/^}$/d' good.pto >two.pto && cat second >>two.pto && echo '}' >>two.pto
refused 3 PTO-E1101 "$PTO" check --deep -t a5 two.pto
is "$(grep -c 'error:' .err)" 1
