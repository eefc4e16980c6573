// What bit_flipper does, written explicitly.
module plain_bit_flipper #(
    parameter int LEAVES = 256,
    parameter int Depth = $clog2(LEAVES)
) (
    input  logic              enable_i,
    input  logic              set_i,
    input  logic [Depth-1:0]  address_i,
    input  logic [LEAVES-1:0] bit_i,
    output logic [LEAVES-1:0] bit_o
);
  always_comb begin
    bit_o = bit_i;
    if (enable_i) bit_o[address_i] = set_i;
  end
endmodule
