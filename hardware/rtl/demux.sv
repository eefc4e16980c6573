// Decodes an address into one of LEAVES lines, none if it is not enabled: a tree of 2*LEAVES - 2 AND gates.
module demux #(
    parameter int LEAVES = 256,
    // follow from those above: not to be set
    parameter int Depth = $clog2(LEAVES)
) (
    input  logic              enable_i,
    input  logic [Depth-1:0]  address_i,
    output logic [LEAVES-1:0] line_o
);
  // Level l has 2^l lines, selected by the address's l highest bits.
  for (genvar l = 0; l <= Depth; l++) begin : gen_level
    logic [(1<<l)-1:0] line;
    if (l == 0) begin : gen_root
      assign line = enable_i;
    end else begin : gen_gates
      for (genvar n = 0; n < (1 << (l - 1)); n++) begin : gen_node
        assign line[2*n]   = gen_level[l-1].line[n] & ~address_i[Depth-l];
        assign line[2*n+1] = gen_level[l-1].line[n] & address_i[Depth-l];
      end
    end
  end
  assign line_o = gen_level[Depth].line;
endmodule
