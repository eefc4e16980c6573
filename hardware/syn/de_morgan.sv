// Both trees of an object unit over one bitmap; same_o is 1 if some object is free exactly when not all are used.
module de_morgan #(
    parameter int LEAVES = 256
) (
    input  logic [LEAVES-1:0] bitmap_i,
    output logic              same_o
);
  logic [2*LEAVES-1:1] node;
  logic                all;
  or_tree #(.LEAVES(LEAVES)) u_or_tree (.leaf_i(bitmap_i), .node_o(node));
  and_tree #(.LEAVES(LEAVES)) u_and_tree (.taken_i(~bitmap_i), .all_o(all), .address_o());
  assign same_o = node[1] == ~all;
endmodule
