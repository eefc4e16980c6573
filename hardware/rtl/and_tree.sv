// A binary tree of AND gates over LEAVES leaves that are 1 while they are taken, and the address of the first that is not.
//
// A node is 1 if every leaf below it is taken. Where both halves of a node have an address, the left one's counts
// unless the left half is all taken: one multiplexer a bit. So addresses come up next to the tree, and the longest
// path is that of the tree and one multiplexer, not of the tree and then of lg LEAVES multiplexers back to the leaves.
//
//   all_o      every leaf is taken: there is no address
//   address_o  the first leaf that is not taken; the last leaf's address if there is none
module and_tree #(
    parameter int LEAVES = 256,
    // follow from those above: not to be set
    parameter int Depth = $clog2(LEAVES)
) (
    input  logic [LEAVES-1:0] taken_i,
    output logic              all_o,
    output logic [Depth-1:0]  address_o
);
  for (genvar l = 0; l <= Depth; l++) begin : gen_level
    localparam int Nodes = LEAVES >> l;
    logic [Nodes-1:0] all;
    if (l == 0) begin : gen_leaves
      assign all = taken_i;
    end else begin : gen_gates
      // Of every node the address below it, l bits.
      logic [Nodes*l-1:0] address;
      for (genvar n = 0; n < Nodes; n++) begin : gen_node
        logic skip;
        assign skip = gen_level[l-1].all[2*n];
        assign all[n] = skip & gen_level[l-1].all[2*n+1];
        assign address[n*l+l-1] = skip;
        for (genvar b = 0; b < l - 1; b++) begin : gen_bit
          assign address[n*l+b] = skip ? gen_level[l-1].gen_gates.address[(2*n+1)*(l-1)+b]
                                       : gen_level[l-1].gen_gates.address[2*n*(l-1)+b];
        end
      end
    end
  end
  assign all_o = gen_level[Depth].all[0];
  assign address_o = gen_level[Depth].gen_gates.address;
endmodule
