// The page unit between registers, so that place and route sees paths from register to register only: its inputs are shifted in
// bit by bit, its outputs out, and no pin is on a path.
module fpga #(
    parameter int P = 4096,
    parameter int S = 16,
    parameter int PIPELINED = 0
) (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic bit_i,
    output logic bit_o
);
  localparam int Depth = $clog2(P / S);
  localparam int Class = Depth > 1 ? $clog2(Depth) : 1;
  localparam int Number = P / S > 32 ? $clog2(P / S / 32) : 1;
  localparam int In = 1 + 2 + Class + Depth + Number + 32;
  localparam int Out = 2 + Depth + 32;

  logic             valid, ready, any;
  logic [1:0]       op;
  logic [Class-1:0] class_of;
  logic [Depth-1:0] object, first;
  logic [Number-1:0] word;
  logic [31:0]      data, read;
  logic [In-1:0]    in_q;
  logic [Out-1:0]   out_q;
  assign {valid, op, class_of, object, word, data} = in_q;

  page_unit #(
      .P        (P),
      .S        (S),
      .W        (32),
      .PIPELINED(PIPELINED)
  ) u_page_unit (
      .clk_i,
      .rst_ni,
      .valid_i (valid),
      .op_i    (op),
      .class_i (class_of),
      .object_i(object),
      .word_i  (word),
      .data_i  (data),
      .ready_o (ready),
      .any_o   (any),
      .object_o(first),
      .data_o  (read)
  );

  always_ff @(posedge clk_i) begin
    in_q <= {in_q[In-2:0], bit_i};
    // Every output is used: what comes out is mixed into what is shifted.
    out_q <= {out_q[Out-2:0], 1'b0} ^ {ready, any, first, read};
  end
  assign bit_o = out_q[Out-1];
endmodule
