// Chang's interconnection, as Li, Mohanty and Kavi describe it: every leaf of the AND-tree looks at the node above it on
// the level of the request's size, so it has a selector of lg LEAVES + 1 inputs of its own.
//
// level_i has one bit set: bit l for blocks of 2^l units. O(LEAVES lg LEAVES) gates.
module chang_interconnection #(
    parameter int LEAVES = 256,
    // follow from those above: not to be set
    parameter int Depth = $clog2(LEAVES)
) (
    input  logic [2*LEAVES-1:1] node_i,
    input  logic [Depth:0]      level_i,
    output logic [LEAVES-1:0]   taken_o
);
  for (genvar n = 0; n < LEAVES; n++) begin : gen_leaf
    // From the leaf up, so that no two leaves have a gate in common.
    for (genvar l = 0; l <= Depth; l++) begin : gen_level
      logic taken;
      if (l == 0) begin : gen_first
        assign taken = level_i[0] & node_i[LEAVES+n];
      end else begin : gen_next
        assign taken = gen_leaf[n].gen_level[l-1].taken | (level_i[l] & node_i[(LEAVES+n)>>l]);
      end
    end
    assign taken_o[n] = gen_level[Depth].taken;
  end
endmodule
