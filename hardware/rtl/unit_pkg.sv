// The operations of the page unit, as encoded in its instruction (hardware/INSTRUCTION.md).
package unit_pkg;
  // Take the first free object of the page that is held for a class.
  localparam logic [1:0] OpAllocate = 2'd0;
  // Make an object of that page free; nothing is answered.
  localparam logic [1:0] OpFree = 2'd1;
  // Write a word of the bitmap that is held for a class.
  localparam logic [1:0] OpLoad = 2'd2;
  // Read a word of it. No part of the unit asks for it: a word is answered whatever the operation.
  /* verilator lint_off UNUSEDPARAM */
  localparam logic [1:0] OpStore = 2'd3;
  /* verilator lint_on UNUSEDPARAM */
endpackage
