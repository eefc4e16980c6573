// A line for every number below LEAVES that is 1 where the number is at least number_i: from the highest bit down, 2*LEAVES gates.
module lines_from #(
    parameter int LEAVES = 128,
    // follow from those above: not to be set
    parameter int Depth = $clog2(LEAVES)
) (
    input  logic [Depth-1:0]  number_i,
    output logic [LEAVES-1:0] line_o
);
  // Level l compares the lowest l bits.
  for (genvar l = 0; l <= Depth; l++) begin : gen_level
    logic [(1<<l)-1:0] line;
    if (l == 0) begin : gen_equal
      assign line = 1'b1;
    end else begin : gen_gates
      for (genvar n = 0; n < (1 << (l - 1)); n++) begin : gen_node
        assign line[n] = ~number_i[l-1] & gen_level[l-1].line[n];
        assign line[n+(1<<(l-1))] = ~number_i[l-1] | gen_level[l-1].line[n];
      end
    end
  end
  assign line_o = gen_level[Depth].line;
endmodule
