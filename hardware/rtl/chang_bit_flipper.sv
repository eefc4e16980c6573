// Sets (allocate) or clears (free) `units` bits from an address on, which is a multiple of the next power of two.
//
// Goes down from the root with two lines a node: the block's end lies below it (head), and all below it belongs to the block
// (whole). With `last` the number of units - 1, and the address's bit a and last's bit t of a level (never both, as the address is
// a multiple): the right half has the head if a or t, else the left; the left half is whole if t. O(LEAVES) gates, lg LEAVES deep.
module chang_bit_flipper #(
    parameter int LEAVES = 256,
    // follow from those above: not to be set
    parameter int Depth = $clog2(LEAVES)
) (
    input  logic              enable_i,
    input  logic              set_i,
    input  logic [Depth-1:0]  address_i,
    input  logic [Depth-1:0]  last_i,
    input  logic [LEAVES-1:0] bit_i,
    output logic [LEAVES-1:0] bit_o
);
  for (genvar l = 0; l <= Depth; l++) begin : gen_level
    logic [(1<<l)-1:0] head, whole;
    if (l == 0) begin : gen_root
      assign head  = enable_i;
      assign whole = 1'b0;
    end else begin : gen_below
      logic turn, fill;
      assign fill = last_i[Depth-l];
      assign turn = fill | address_i[Depth-l];
      for (genvar n = 0; n < (1 << (l - 1)); n++) begin : gen_node
        assign head[2*n]    = gen_level[l-1].head[n] & ~turn;
        assign head[2*n+1]  = gen_level[l-1].head[n] & turn;
        assign whole[2*n]   = gen_level[l-1].whole[n] | (gen_level[l-1].head[n] & fill);
        assign whole[2*n+1] = gen_level[l-1].whole[n];
      end
    end
  end

  for (genvar n = 0; n < LEAVES; n++) begin : gen_bit
    assign bit_o[n] = (gen_level[Depth].head[n] | gen_level[Depth].whole[n]) ? set_i : bit_i[n];
  end
endmodule
