// A PicoRV32 with the page unit, and 64 KiB of memory that answers at once.
//
// A word written to 0x1000_0000 is shown (shown_o for a cycle); one written to 0x2000_0000 ends the program (done_o).
module core (
    input  logic        clk_i,
    input  logic        rst_ni,
    output logic        shown_o,
    output logic        done_o,
    output logic        trap_o,
    output logic [31:0] word_o
);
  logic [31:0] memory[16384];
  initial $readmemh("program.hex", memory);

  logic        valid, write;
  logic [31:0] address, word;
  logic [3:0]  strobe;
  logic        unit_valid, unit_write, unit_ready;
  logic [31:0] instruction, rs1, rs2, rd;

  /* verilator lint_off PINCONNECTEMPTY */
  picorv32 #(
      .ENABLE_PCPI   (1'b1),
      .BARREL_SHIFTER(1'b1),
      .STACKADDR     (32'h0001_0000)
  ) u_core (
      .clk         (clk_i),
      .resetn      (rst_ni),
      .trap        (trap_o),
      .mem_valid   (valid),
      .mem_instr   (),
      .mem_ready   (valid),
      .mem_addr    (address),
      .mem_wdata   (word),
      .mem_wstrb   (strobe),
      .mem_rdata   (memory[address[15:2]]),
      .mem_la_read (),
      .mem_la_write(),
      .mem_la_addr (),
      .mem_la_wdata(),
      .mem_la_wstrb(),
      .pcpi_valid  (unit_valid),
      .pcpi_insn   (instruction),
      .pcpi_rs1    (rs1),
      .pcpi_rs2    (rs2),
      .pcpi_wr     (unit_write),
      .pcpi_rd     (rd),
      .pcpi_wait   (1'b0),
      .pcpi_ready  (unit_ready),
      .irq         (32'd0),
      .eoi         (),
      .trace_valid (),
      .trace_data  ()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  page_unit_pcpi u_unit (
      .clk_i,
      .rst_ni,
      .valid_i      (unit_valid),
      .instruction_i(instruction),
      .rs1_i        (rs1),
      .rs2_i        (rs2),
      .write_o      (unit_write),
      .rd_o         (rd),
      .ready_o      (unit_ready)
  );

  assign write = valid & (strobe != 4'd0);
  assign shown_o = write & (address == 32'h1000_0000);
  assign done_o = write & (address == 32'h2000_0000);
  assign word_o = word;

  always_ff @(posedge clk_i) begin
    if (write & (address[31:16] == 16'd0)) begin
      for (int lane = 0; lane < 4; lane++) begin
        if (strobe[lane]) memory[address[15:2]][8*lane+:8] <= word[8*lane+:8];
      end
    end
  end
endmodule
