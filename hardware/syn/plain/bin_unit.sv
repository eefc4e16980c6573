// What bin_unit does, written explicitly.
module plain_bin_unit #(
    parameter int BINS = 128,
    parameter int Depth = $clog2(BINS)
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             valid_i,
    input  logic             change_i,
    input  logic             set_i,
    input  logic [Depth-1:0] bin_i,
    output logic             any_o,
    output logic [Depth-1:0] first_o
);
  logic [BINS-1:0] bitmap_d, bitmap_q;

  always_comb begin
    any_o = 1'b0;
    first_o = '1;
    for (int n = BINS - 1; n >= 0; n--) begin
      if (n >= bin_i && bitmap_q[n]) begin
        any_o = 1'b1;
        first_o = n;
      end
    end
    bitmap_d = bitmap_q;
    if (valid_i && change_i) bitmap_d[bin_i] = set_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) bitmap_q <= '0;
    else bitmap_q <= bitmap_d;
  end
endmodule
