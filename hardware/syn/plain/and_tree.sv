// What and_tree does, written explicitly.
module plain_and_tree #(
    parameter int LEAVES = 256,
    parameter int Depth = $clog2(LEAVES)
) (
    input  logic [LEAVES-1:0] taken_i,
    output logic              all_o,
    output logic [Depth-1:0]  address_o
);
  always_comb begin
    all_o = 1'b1;
    address_o = '1;
    for (int n = LEAVES - 1; n >= 0; n--) begin
      if (!taken_i[n]) begin
        all_o = 1'b0;
        address_o = n;
      end
    end
  end
endmodule
