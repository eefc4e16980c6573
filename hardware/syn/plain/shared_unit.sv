// What shared_unit does, written explicitly.
module plain_shared_unit #(
    parameter int LEAVES = 64,
    parameter int CLASSES = 8,
    parameter int W = 32,
    parameter int Depth = $clog2(LEAVES),
    parameter int Class = $clog2(CLASSES),
    parameter int Words = LEAVES / W,
    parameter int Number = Words > 1 ? $clog2(Words) : 1
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              valid_i,
    input  logic [1:0]        op_i,
    input  logic [Class-1:0]  class_i,
    input  logic [Depth-1:0]  object_i,
    input  logic [Number-1:0] word_i,
    input  logic [W-1:0]      data_i,
    output logic              any_o,
    output logic [Depth-1:0]  object_o,
    output logic [W-1:0]      data_o
);
  logic [CLASSES*LEAVES-1:0] bitmap_d, bitmap_q;

  always_comb begin
    any_o = 1'b0;
    object_o = '1;
    data_o = '0;
    bitmap_d = bitmap_q;
    for (int c = 0; c < CLASSES; c++) begin
      if (class_i == c) begin
        for (int n = LEAVES - 1; n >= 0; n--) begin
          if (bitmap_q[c*LEAVES+n]) begin
            any_o = 1'b1;
            object_o = n;
          end
        end
        for (int n = 0; n < LEAVES; n++) begin
          if (valid_i && op_i == 0 && any_o && object_o == n) bitmap_d[c*LEAVES+n] = 1'b0;
          if (valid_i && op_i == 1 && object_i == n) bitmap_d[c*LEAVES+n] = 1'b1;
          if (Words == 1 || word_i == n / W) begin
            data_o[n%W] = bitmap_q[c*LEAVES+n];
            if (valid_i && op_i == 2) bitmap_d[c*LEAVES+n] = data_i[n%W];
          end
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) bitmap_q <= '0;
    else bitmap_q <= bitmap_d;
  end
endmodule
