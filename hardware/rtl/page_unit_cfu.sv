// The page unit as a custom function unit: the interface of VexRiscv's CfuPlugin, of CFU Playground and of LiteX.
//
// function_id_i is funct7 and funct3 of the instruction in custom-0. A command that is not ours is answered with 0, as the interface
// has no way to refuse one. One command is under way at a time; its answer is there in the next cycle, and held until it is taken.
module page_unit_cfu #(
    parameter int P = 4096,
    parameter int S = 16,
    parameter int PIPELINED = 0
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        cmd_valid_i,
    output logic        cmd_ready_o,
    input  logic [9:0]  cmd_function_id_i,
    input  logic [31:0] cmd_inputs_0_i,
    input  logic [31:0] cmd_inputs_1_i,
    output logic        rsp_valid_o,
    input  logic        rsp_ready_i,
    output logic [31:0] rsp_outputs_0_o
);
  logic        ours, free, ready, write, full_q;
  logic [31:0] rd, rd_q;
  assign ours = (cmd_function_id_i[9:5] == 5'd0) & (cmd_function_id_i[2:0] == 3'd0);
  // Room for an answer.
  assign free = ~full_q | rsp_ready_i;

  page_unit_operands #(
      .P        (P),
      .S        (S),
      .PIPELINED(PIPELINED)
  ) u_operands (
      .clk_i,
      .rst_ni,
      .valid_i(cmd_valid_i & ours & free),
      .op_i   (cmd_function_id_i[4:3]),
      .rs1_i  (cmd_inputs_0_i),
      .rs2_i  (cmd_inputs_1_i),
      .ready_o(ready),
      .write_o(write),
      .rd_o   (rd)
  );

  assign cmd_ready_o = free & (ready | ~ours);
  assign rsp_valid_o = full_q;
  assign rsp_outputs_0_o = rd_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) full_q <= 1'b0;
    else if (free) full_q <= cmd_valid_i & cmd_ready_o;
    if (free) rd_q <= ours & write ? rd : '0;
  end
endmodule
