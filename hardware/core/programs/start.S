# Address 0: a stack at the end of memory, custom function units enabled (bit 31 of VexRiscv's register 0xbc0), then the program.
    .section .text.start
    .globl _start
_start:
    lui sp, 0x2000
    lui t0, 0x80000
    csrw 0xbc0, t0
    call main
