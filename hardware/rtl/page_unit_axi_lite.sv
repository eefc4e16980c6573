// The page unit on AXI4-Lite: the registers of doc/registers.md in 8 KiB.
//
// A write is carried out when address and data are both there, a read when no write is; one access a cycle, its answer in the next.
// SLVERR: there is no such register, or not all bytes of a word are written; nothing is done then.
module page_unit_axi_lite #(
    parameter int P = 4096,
    parameter int S = 16,
    parameter int PIPELINED = 0
) (
    input  logic        aclk,
    input  logic        aresetn,
    input  logic        s_axi_awvalid,
    output logic        s_axi_awready,
    input  logic [12:0] s_axi_awaddr,
    input  logic [2:0]  s_axi_awprot,
    input  logic        s_axi_wvalid,
    output logic        s_axi_wready,
    input  logic [31:0] s_axi_wdata,
    input  logic [3:0]  s_axi_wstrb,
    output logic        s_axi_bvalid,
    input  logic        s_axi_bready,
    output logic [1:0]  s_axi_bresp,
    input  logic        s_axi_arvalid,
    output logic        s_axi_arready,
    input  logic [12:0] s_axi_araddr,
    input  logic [2:0]  s_axi_arprot,
    output logic        s_axi_rvalid,
    input  logic        s_axi_rready,
    output logic [31:0] s_axi_rdata,
    output logic [1:0]  s_axi_rresp
);
  localparam logic [1:0] Okay = 2'b00;
  localparam logic [1:0] SlvErr = 2'b10;

  logic        write, read, whole, done, ready, error, bad;
  logic [31:0] data;
  // An access waits until there is room for its answer.
  assign write = s_axi_awvalid & s_axi_wvalid & (~s_axi_bvalid | s_axi_bready);
  assign read = ~write & s_axi_arvalid & (~s_axi_rvalid | s_axi_rready);
  assign whole = ~write | (&s_axi_wstrb);
  assign done = ready | ~whole;
  assign bad = error | ~whole;

  page_unit_registers #(
      .P        (P),
      .S        (S),
      .PIPELINED(PIPELINED)
  ) u_registers (
      .clk_i    (aclk),
      .rst_ni   (aresetn),
      .valid_i  ((write & whole) | read),
      .write_i  (write),
      .address_i(write ? s_axi_awaddr : s_axi_araddr),
      .data_i   (s_axi_wdata),
      .ready_o  (ready),
      .error_o  (error),
      .data_o   (data)
  );

  assign s_axi_awready = write & done & aresetn;
  assign s_axi_wready = s_axi_awready;
  assign s_axi_arready = read & done & aresetn;

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      s_axi_bvalid <= 1'b0;
      s_axi_rvalid <= 1'b0;
    end else begin
      if (s_axi_awready) s_axi_bvalid <= 1'b1;
      else if (s_axi_bready) s_axi_bvalid <= 1'b0;
      if (s_axi_arready) s_axi_rvalid <= 1'b1;
      else if (s_axi_rready) s_axi_rvalid <= 1'b0;
    end
    if (s_axi_awready) s_axi_bresp <= bad ? SlvErr : Okay;
    if (s_axi_arready) begin
      s_axi_rresp <= bad ? SlvErr : Okay;
      s_axi_rdata <= data;
    end
  end

  // Every access is allowed to everybody.
  logic unused;
  assign unused = ^{s_axi_awprot, s_axi_arprot};
endmodule
