// The same function as chang_interconnection with what leaves have in common built once: from the root down, a node hands
// on what was chosen above it, or itself where its level is the request's. O(LEAVES) gates.
module chang_interconnection_shared #(
    parameter int LEAVES = 256,
    // follow from those above: not to be set
    parameter int Depth = $clog2(LEAVES)
) (
    input  logic [2*LEAVES-1:1] node_i,
    input  logic [Depth:0]      level_i,
    output logic [LEAVES-1:0]   taken_o
);
  // gen_level[l] has the nodes that are l below the root, so blocks of 2^(Depth - l) units.
  for (genvar l = 0; l <= Depth; l++) begin : gen_level
    logic [(1<<l)-1:0] taken;
    for (genvar n = 0; n < (1 << l); n++) begin : gen_node
      if (l == 0) begin : gen_root
        assign taken[n] = level_i[Depth] & node_i[1];
      end else begin : gen_below
        assign taken[n] = gen_level[l-1].taken[n/2] | (level_i[Depth-l] & node_i[(1<<l)+n]);
      end
    end
  end
  assign taken_o = gen_level[Depth].taken;
endmodule
