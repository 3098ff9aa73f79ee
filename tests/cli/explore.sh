# SPDX-License-Identifier: Apache-2.0
# pto explore and pto run --schedule: a race is shrunk to two instructions, and the schedule that is told shows it.
. "$SRC/tests/support/cli.sh"

program() { # program FILE LINE-BETWEEN-LOAD-AND-RELU
    cat >"$1" <<END
!T = !pto.tile_buf<vec, 8x8xf32>
!G = !pto.tensor_view<8x8xf32>
!P = !pto.partition_tensor_view<8x8xf32>
module {
  func.func @f(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) {
    %z = arith.constant 0 : index
    %one = arith.constant 1 : index
    %n = arith.constant 8 : index
    %a = arith.constant 0 : i64
    %b = arith.constant 256 : i64
    %gx = pto.make_tensor_view %x, shape = [%n, %n], strides = [%n, %one] : !G
    %gy = pto.make_tensor_view %y, shape = [%n, %n], strides = [%n, %one] : !G
    %px = pto.partition_view %gx, offsets = [%z, %z], sizes = [%n, %n] : !G -> !P
    %py = pto.partition_view %gy, offsets = [%z, %z], sizes = [%n, %n] : !G -> !P
    %t = pto.alloc_tile addr = %a : !T
    %u = pto.alloc_tile addr = %b : !T
    pto.tload ins(%px : !P) outs(%t : !T)
    pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
    $2
    pto.trelu ins(%t : !T) outs(%u : !T)
    pto.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
    pto.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
    pto.tstore ins(%u : !T) outs(%py : !P)
    return
  }
}
END
}
for i in $(seq 64); do printf '\x00\x00\x80\x3f'; done | npy x.npy '<f4' '8, 8'
program good.pto 'pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]'
program late.pto ''

expect 0 "$PTO" explore good.pto -t a2a3 --runs 50 x=x.npy y:= && silent && says '^50 schedules' .out
expect 0 "$PTO" run good.pto -t a2a3 x=x.npy y:=program.npy
for schedule in program adversarial random:1 random:2:3 adversarial:1; do
    expect 0 "$PTO" run good.pto -t a2a3 --schedule $schedule x=x.npy y:=other.npy && silent
    same program.npy other.npy
done

refused 3 PTO-E1101 "$PTO" explore late.pto -t a2a3 x=x.npy y:=none.npy
absent none.npy
says '^late.pto:20:5: error: TRELU: .*\[PTO-E1101\]$'
says '^late.pto:17:5: note: '
says 'insert pto.set_flag\[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID1>\] behind line 17 and the same wait_flag before line 20'
# a flag of its own, since that id is set already; it mends the program
sed '17a\    pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID1>]
19a\    pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID1>]' late.pto >mended.pto
expect 0 "$PTO" explore mended.pto -t a2a3 x=x.npy y:= && silent
expect 3 "$PTO" explore late.pto -t a2a3 x=x.npy y:=none.npy
schedule=$(sed -n 's/.*--schedule \([a-z0-9:]*\).*/\1/p' .err)
expect 0 "$PTO" run late.pto -t a2a3 --schedule "$schedule" x=x.npy y:=again.npy
cmp -s again.npy program.npy && fail "$schedule shows nothing"
# the checker says so without another order
refused 3 PTO-E1101 "$PTO" run late.pto -t a2a3 --check race x=x.npy y:=
# cpu keeps the order of a core
expect 0 "$PTO" explore late.pto -t cpu x=x.npy y:= && silent
expect 3 "$PTO" explore late.pto -t a2a3 --json x=x.npy y:= && silent && says '"rule": *"PTO-E1101"' .out

# usage
for words in 'random' 'random:x' 'sideways' 'adversarial:0'; do
    expect 2 "$PTO" run good.pto --schedule "$words" x=x.npy y:=
    says 'unknown schedule'
done
expect 2 "$PTO" run good.pto --schedule adversarial --check race x=x.npy y:=
expect 2 "$PTO" explore
expect 2 "$PTO" explore good.pto --runs 0 x=x.npy y:=
expect 2 "$PTO" explore good.pto x=missing.npy y:=


: >empty.s
expect 2 "$PTO" explore empty.s && says 'TileOp blocks'
# more blocks than are on their way at once
expect 0 "$PTO" run good.pto -t a2a3 -b 300 --schedule random:4 x=x.npy y:=other.npy && same program.npy other.npy
