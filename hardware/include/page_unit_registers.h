/* Registers of the search unit behind a bus. Made from hardware/registers.csv by `cargo xtask hardware registers`. */
#ifndef PAGE_UNIT_REGISTERS_H
#define PAGE_UNIT_REGISTERS_H

/* r: what this is; read: 0x50470001: a page unit with registers of version 1. */
#define PAGE_UNIT_IDENTITY 0x0000u
#define PAGE_UNIT_IDENTITY_VALUE 0x50470001u

/* r: for what pages it is built; read: lg P in bits 7:0; lg S in 15:8; bits of a word in 23:16; classes in 31:24. */
#define PAGE_UNIT_PARAMETERS 0x0004u

/* r: takes the first free object of the page held for class c; read: its number; 0xffffffff if none is free. */
#define PAGE_UNIT_ALLOCATE(c) (0x0100u + 4u * (c))

/* w: makes an object of the page held for class c free; written: its number. */
#define PAGE_UNIT_FREE(c) (0x0200u + 4u * (c))

/* rw: word n of the bitmap held for class c: 1 is free; read: the word; written: the word. */
#define PAGE_UNIT_BITMAP(c, n) (0x1000u + 256u * (c) + 4u * (n))

#endif
