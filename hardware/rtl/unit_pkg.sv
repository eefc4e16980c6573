// The operations of the page unit, as encoded in its instruction (hardware/INSTRUCTION.md).
package unit_pkg;
  // Not every top has a use for all of them. No part of the unit asks for a store: a word is answered whatever the operation.
  /* verilator lint_off UNUSEDPARAM */
  // Take the first free object of the page that is held for a class.
  localparam logic [1:0] OpAllocate = 2'd0;
  // Make an object of that page free; nothing is answered.
  localparam logic [1:0] OpFree = 2'd1;
  // Write a word of the bitmap that is held for a class.
  localparam logic [1:0] OpLoad = 2'd2;
  // Read a word of it.
  localparam logic [1:0] OpStore = 2'd3;
  /* verilator lint_on UNUSEDPARAM */

  // custom-0, funct3 0, funct7 0 to 3.
  /* verilator lint_off UNUSEDSIGNAL */
  function automatic logic is_ours(input logic [31:0] instruction);
    is_ours = (instruction[6:0] == 7'b0001011) & (instruction[14:12] == 3'd0) & (instruction[31:27] == 5'd0);
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
endpackage
