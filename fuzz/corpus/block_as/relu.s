    .org 0x1000
    C.BSTART.STD FALL
    hl.lis 0x100000, ->a0
    hl.lis 0x200000, ->a1
    c.movi 4, ->a4
L1: TLOAD <16, 32, FP32>, [a0], ->T<2KB>
    TRELU <16, 32, FP32>, T#1, ->U<2KB>
    TSTORE <16, 32, FP32>, U#1, [a1]
    BSTART.STD COND, L1
    addi a0, 2048, ->a0
    addi a1, 2048, ->a1
    subi a4, 1, ->a4
    setc.ne a4, zero
    C.BSTART.STD FALL
    ebreak 0
    C.BSTOP
