// The page unit on APB (AMBA 4 APB): the registers of doc/registers.md in 8 KiB.
//
// Every access takes the two cycles that APB needs at least; with PIPELINED an allocation in the cycle after a change takes three.
// pslverr: there is no such register, or not all bytes of a word are written; nothing is done then.
module page_unit_apb #(
    parameter int P = 4096,
    parameter int S = 16,
    parameter int PIPELINED = 0
) (
    input  logic        pclk,
    input  logic        presetn,
    input  logic        psel,
    input  logic        penable,
    input  logic        pwrite,
    input  logic [12:0] paddr,
    input  logic [31:0] pwdata,
    input  logic [3:0]  pstrb,
    output logic        pready,
    output logic [31:0] prdata,
    output logic        pslverr
);
  logic whole, error;
  assign whole = ~pwrite | (&pstrb);

  page_unit_registers #(
      .P        (P),
      .S        (S),
      .PIPELINED(PIPELINED)
  ) u_registers (
      .clk_i    (pclk),
      .rst_ni   (presetn),
      .valid_i  (psel & penable & whole),
      .write_i  (pwrite),
      .address_i(paddr),
      .data_i   (pwdata),
      .ready_o  (pready),
      .error_o  (error),
      .data_o   (prdata)
  );

  assign pslverr = psel & penable & pready & (error | ~whole);
endmodule
