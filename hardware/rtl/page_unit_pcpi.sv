// The page unit behind the co-processor interface of PicoRV32: hardware/INSTRUCTION.md in gates.
//
// The core holds valid_i, the instruction and both registers until ready_o, so each instruction is carried out once.
module page_unit_pcpi #(
    parameter int P = 4096,
    parameter int S = 16,
    parameter int PIPELINED = 0
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        valid_i,
    /* verilator lint_off UNUSEDSIGNAL */
    input  logic [31:0] instruction_i,
    /* verilator lint_on UNUSEDSIGNAL */
    input  logic [31:0] rs1_i,
    input  logic [31:0] rs2_i,
    output logic        write_o,
    output logic [31:0] rd_o,
    output logic        ready_o
);
  logic ours, ready, write;
  assign ours = valid_i & unit_pkg::is_ours(instruction_i);

  page_unit_operands #(
      .P        (P),
      .S        (S),
      .PIPELINED(PIPELINED)
  ) u_operands (
      .clk_i,
      .rst_ni,
      .valid_i(ours),
      .op_i   (instruction_i[26:25]),
      .rs1_i,
      .rs2_i,
      .ready_o(ready),
      .write_o(write),
      .rd_o
  );

  assign ready_o = ours & ready;
  assign write_o = ours & ready & write;
endmodule
