// The page unit behind the operands of its instructions (hardware/INSTRUCTION.md): what is in front of PCPI, CFU and CV-X-IF alike.
//
// Words are 32 bits. An operation is carried out in the cycle in which valid_i and ready_o are 1, and rd_o is its result then.
module page_unit_operands #(
    parameter int P = 4096,
    parameter int S = 16,
    parameter int PIPELINED = 0
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        valid_i,
    input  logic [1:0]  op_i,
    /* verilator lint_off UNUSEDSIGNAL */
    input  logic [31:0] rs1_i,
    input  logic [31:0] rs2_i,
    /* verilator lint_on UNUSEDSIGNAL */
    output logic        ready_o,
    // whether there is a result for rd
    output logic        write_o,
    output logic [31:0] rd_o
);
  localparam int Depth = $clog2(P / S);
  localparam int Class = Depth > 1 ? $clog2(Depth) : 1;
  localparam int Number = P / S > 32 ? $clog2(P / S / 32) : 1;
  // rs1 has the class in its lowest 8 bits and the number of a word above them.
  must_hold #(.CONDITION(Number <= 24)) u_numbers_of_words_fit_rs1 ();

  logic             any;
  logic [Depth-1:0] object;
  logic [31:0]      data;

  page_unit #(
      .P        (P),
      .S        (S),
      .W        (32),
      .PIPELINED(PIPELINED)
  ) u_page_unit (
      .clk_i,
      .rst_ni,
      .valid_i,
      .op_i,
      .class_i (rs1_i[Class-1:0]),
      .object_i(rs2_i[Depth-1:0]),
      .word_i  (rs1_i[8+:Number]),
      .data_i  (rs2_i),
      .ready_o,
      .any_o   (any),
      .object_o(object),
      .data_o  (data)
  );

  assign write_o = op_i == unit_pkg::OpAllocate | op_i == unit_pkg::OpStore;
  assign rd_o = op_i == unit_pkg::OpStore ? data : any ? 32'(object) : '1;
endmodule
