// The page unit behind the co-processor interface of PicoRV32: hardware/INSTRUCTION.md in gates.
//
// The core holds valid_i, the instruction and both registers until ready_o. All four operations are ready in the cycle in which
// they are seen, so each is carried out once.
module page_unit_pcpi #(
    parameter int P = 4096,
    parameter int S = 16
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        valid_i,
    /* verilator lint_off UNUSEDSIGNAL */
    input  logic [31:0] instruction_i,
    input  logic [31:0] rs1_i,
    input  logic [31:0] rs2_i,
    /* verilator lint_on UNUSEDSIGNAL */
    output logic        write_o,
    output logic [31:0] rd_o,
    output logic        ready_o
);
  localparam int Depth = $clog2(P / S);
  localparam int Class = $clog2(Depth);
  localparam int Number = $clog2(P / S / 32);

  logic             ours, any;
  logic [1:0]       op;
  logic [Depth-1:0] object;
  logic [31:0]      data;

  // custom-0, funct3 0, funct7 0 to 3.
  assign ours = valid_i & (instruction_i[6:0] == 7'b0001011) & (instruction_i[14:12] == 3'd0) & (instruction_i[31:27] == 5'd0);
  assign op = instruction_i[26:25];

  page_unit #(.P(P), .S(S), .W(32)) u_page_unit (
      .clk_i,
      .rst_ni,
      .valid_i (ours),
      .op_i    (op),
      .class_i (rs1_i[Class-1:0]),
      .object_i(rs2_i[Depth-1:0]),
      .word_i  (rs1_i[8+:Number]),
      .data_i  (rs2_i),
      .any_o   (any),
      .object_o(object),
      .data_o  (data)
  );

  assign ready_o = ours;
  assign write_o = ours & (op == unit_pkg::OpAllocate | op == unit_pkg::OpStore);
  assign rd_o = op == unit_pkg::OpStore ? data : any ? 32'(object) : '1;
endmodule
