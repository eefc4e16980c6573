// What object_unit does, written explicitly.
module plain_object_unit #(
    parameter int LEAVES = 256,
    parameter int W = 32,
    parameter int Depth = $clog2(LEAVES),
    parameter int Words = (LEAVES + W - 1) / W,
    parameter int Number = Words > 1 ? $clog2(Words) : 1
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              valid_i,
    input  logic [1:0]        op_i,
    input  logic [Depth-1:0]  object_i,
    input  logic [Number-1:0] word_i,
    input  logic [W-1:0]      data_i,
    output logic              ready_o,
    output logic              any_o,
    output logic [Depth-1:0]  object_o,
    output logic [W-1:0]      data_o
);
  logic [LEAVES-1:0] bitmap_d, bitmap_q;

  // Every request is carried out at once.
  assign ready_o = 1'b1;

  always_comb begin
    any_o = 1'b0;
    object_o = '1;
    for (int n = LEAVES - 1; n >= 0; n--) begin
      if (bitmap_q[n]) begin
        any_o = 1'b1;
        object_o = n;
      end
    end
    bitmap_d = bitmap_q;
    if (valid_i && op_i == 0 && any_o) bitmap_d[object_o] = 1'b0;
    if (valid_i && op_i == 1) bitmap_d[object_i] = 1'b1;
    data_o = '0;
    for (int n = 0; n < LEAVES; n++) begin
      if (Words == 1 || word_i == n / W) begin
        data_o[n%W] = bitmap_q[n];
        if (valid_i && op_i == 2) bitmap_d[n] = data_i[n%W];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) bitmap_q <= '0;
    else bitmap_q <= bitmap_d;
  end
endmodule
