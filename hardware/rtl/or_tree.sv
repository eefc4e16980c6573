// A binary tree of OR gates over LEAVES leaves (a power of two, at least 2): LEAVES - 1 gates, lg LEAVES deep.
//
// Nodes are numbered as in a heap: 1 is the root, 2n and 2n+1 are below n, LEAVES .. 2*LEAVES-1 are the leaves.
// Over the bits of free objects its root tells whether a page has one; over the bits of used units, as in
// Chang's allocator, a node of 0 is a free block.
module or_tree #(
    parameter int LEAVES = 256
) (
    input  logic [LEAVES-1:0]   leaf_i,
    output logic [2*LEAVES-1:1] node_o
);
  localparam int Depth = $clog2(LEAVES);

  for (genvar l = 0; l <= Depth; l++) begin : gen_level
    localparam int Nodes = LEAVES >> l;
    logic [Nodes-1:0] value;
    if (l == 0) begin : gen_leaves
      assign value = leaf_i;
    end else begin : gen_gates
      for (genvar n = 0; n < Nodes; n++) begin : gen_node
        assign value[n] = gen_level[l-1].value[2*n] | gen_level[l-1].value[2*n+1];
      end
    end
    assign node_o[2*Nodes-1:Nodes] = value;
  end
endmodule
