// The page unit behind CV-X-IF, the extension interface of the CORE-V cores (version 0.2, as CV32E40X has it), with the signals
// of its channels side by side and without those that are not for it: it is asked neither for memory nor for two registers.
//
//   issue ──▶ one instruction ──▶ commit: carried out ──▶ result
//                             └─▶ killed: forgotten
//
// The unit's instructions change its state, so none is carried out before its commit. One is under way at a time.
module page_unit_xif #(
    parameter int P = 4096,
    parameter int S = 16,
    parameter int PIPELINED = 0,
    // bits of an identity
    parameter int IdWidth = 4
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    // issue: accepted if it is ours; both operands have to be valid
    input  logic               issue_valid_i,
    output logic               issue_ready_o,
    input  logic [31:0]        issue_instr_i,
    input  logic [IdWidth-1:0] issue_id_i,
    input  logic [63:0]        issue_rs_i,
    input  logic [1:0]         issue_rs_valid_i,
    output logic               issue_accept_o,
    output logic               issue_writeback_o,
    // commit, in the cycle of the issue or later
    input  logic               commit_valid_i,
    input  logic [IdWidth-1:0] commit_id_i,
    input  logic               commit_kill_i,
    // result
    output logic               result_valid_o,
    input  logic               result_ready_i,
    output logic [IdWidth-1:0] result_id_o,
    output logic [31:0]        result_data_o,
    output logic [4:0]         result_rd_o,
    output logic               result_we_o
);
  // Waiting: for the commit. Doing: committed, not carried out. Done: the result is not taken.
  localparam logic [1:0] Idle = 2'd0;
  localparam logic [1:0] Waiting = 2'd1;
  localparam logic [1:0] Doing = 2'd2;
  localparam logic [1:0] Done = 2'd3;
  logic [1:0]         state_q, state_d;
  logic [1:0]         op_q;
  logic [IdWidth-1:0] id_q;
  logic [31:0]        rs1_q, rs2_q, rd_q;
  logic [4:0]         register_q;
  logic               write_q;

  logic               ours, takes, here, ready, write;
  logic [31:0]        rd;
  assign ours = unit_pkg::is_ours(issue_instr_i);
  assign issue_accept_o = ours;
  // pu.allocate and pu.store write a register.
  assign issue_writeback_o = ours & (issue_instr_i[26] == issue_instr_i[25]);
  // What is not ours is refused at once.
  assign issue_ready_o = ~ours | ((state_q == Idle) & (&issue_rs_valid_i));
  assign takes = issue_valid_i & ours & issue_ready_o;
  assign here = commit_valid_i & (commit_id_i == (state_q == Idle ? issue_id_i : id_q));

  page_unit_operands #(
      .P        (P),
      .S        (S),
      .PIPELINED(PIPELINED)
  ) u_operands (
      .clk_i,
      .rst_ni,
      .valid_i(state_q == Doing),
      .op_i   (op_q),
      .rs1_i  (rs1_q),
      .rs2_i  (rs2_q),
      .ready_o(ready),
      .write_o(write),
      .rd_o   (rd)
  );

  always_comb begin
    state_d = state_q;
    case (state_q)
      Idle: if (takes) state_d = !here ? Waiting : commit_kill_i ? Idle : Doing;
      Waiting: if (here) state_d = commit_kill_i ? Idle : Doing;
      Doing: if (ready) state_d = Done;
      default: if (result_ready_i) state_d = Idle;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= Idle;
    else state_q <= state_d;
    if (takes) begin
      {op_q, id_q, register_q} <= {issue_instr_i[26:25], issue_id_i, issue_instr_i[11:7]};
      {rs2_q, rs1_q} <= issue_rs_i;
    end
    if (state_q == Doing) {write_q, rd_q} <= {write, rd};
  end

  assign result_valid_o = state_q == Done;
  assign result_id_o = id_q;
  assign result_data_o = rd_q;
  assign result_rd_o = register_q;
  assign result_we_o = write_q;
endmodule
