// Flips the bit at an address as the operation says: clears it (an object is taken) or sets it (an object is free).
//
// Clearing and setting, not inverting: an object that is freed twice stays free.
module bit_flipper #(
    parameter int LEAVES = 256,
    // follow from those above: not to be set
    parameter int Depth = $clog2(LEAVES)
) (
    input  logic              enable_i,
    input  logic              set_i,
    input  logic [Depth-1:0]  address_i,
    input  logic [LEAVES-1:0] bit_i,
    output logic [LEAVES-1:0] bit_o
);
  logic [LEAVES-1:0] line;

  demux #(.LEAVES(LEAVES)) u_demux (.enable_i, .address_i, .line_o(line));

  for (genvar n = 0; n < LEAVES; n++) begin : gen_bit
    assign bit_o[n] = line[n] ? set_i : bit_i[n];
  end
endmodule
