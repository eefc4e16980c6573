# Address 0: a stack, then the program.
    .section .text.start
    .globl _start
_start:
    lui sp, 0x10
    j main
