// A unit that costs nothing but its instruction: it holds the bitmap of every page, so nothing is exchanged, and answers in the cycle in
// which it is asked. No such unit can be built for a large memory; it says what is the most that hardware could save.
//
// Instructions in custom-0, rs1 the number of the page:
//   funct7 0   takes the first free object; rd is its number, all ones if there is none
//   funct7 1   makes object rs2 free
//   funct7 2   makes the first rs2 objects free, and no others
//   funct7 3   rd is word rs2 of the bitmap
module ideal_unit #(
    parameter int PAGES = 4096,
    parameter int LEAVES = 256
) (
    input  logic        clk_i,
    input  logic        valid_i,
    /* verilator lint_off UNUSEDSIGNAL */
    input  logic [9:0]  function_id_i,
    input  logic [31:0] inputs_0_i,
    input  logic [31:0] inputs_1_i,
    /* verilator lint_on UNUSEDSIGNAL */
    output logic [31:0] outputs_0_o
);
  localparam int Page = $clog2(PAGES);
  localparam int Depth = $clog2(LEAVES);

  logic [LEAVES-1:0] bitmap_q[PAGES];
  logic [LEAVES-1:0] bitmap;
  logic [Page-1:0]   page;
  logic              any;
  logic [Depth-1:0]  first;

  assign page = inputs_0_i[Page-1:0];
  assign bitmap = bitmap_q[page];

  always_comb begin
    any = 1'b0;
    first = '0;
    if (valid_i && function_id_i[4:3] == 2'd0) begin
      for (int n = LEAVES - 1; n >= 0; n--) begin
        if (bitmap[n]) begin
          any = 1'b1;
          first = Depth'(n);
        end
      end
    end
  end

  always_comb begin
    outputs_0_o = '0;
    if (function_id_i[4:3] == 2'd0) outputs_0_o = any ? 32'(first) : '1;
    if (function_id_i[4:3] == 2'd3) outputs_0_o = bitmap[32*inputs_1_i[2:0]+:32];
  end

  logic [LEAVES-1:0] next;
  always_comb begin
    next = bitmap;
    unique case (function_id_i[4:3])
      2'd0: if (any) next[first] = 1'b0;
      2'd1: next[inputs_1_i[Depth-1:0]] = 1'b1;
      2'd2: next = inputs_1_i == LEAVES ? '1 : (LEAVES'(1) << inputs_1_i[Depth-1:0]) - LEAVES'(1);
      default: ;
    endcase
  end

  always_ff @(posedge clk_i) if (valid_i) bitmap_q[page] <= next;
endmodule
