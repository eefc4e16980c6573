// One allocation and one free on APB, for the picture doc/malloc-free.svg (cargo xtask hardware waveform): the steps of
// docs/guides/hardware.md, for a page of 32 objects. The picture shows the signals of this module.
module waveform;
  logic        pclk = 1'b0, presetn = 1'b0;
  logic        psel = 1'b0, penable = 1'b0, pwrite = 1'b0;
  logic [12:0] paddr = '0;
  logic [31:0] pwdata = '0;
  logic        pready, pslverr;
  logic [31:0] prdata;
  // What the unit holds for class 0, and what its trees say of it.
  logic [31:0] bitmap;
  logic [4:0]  first_free;

  page_unit_apb #(.P(512), .S(16)) dut (.*, .pstrb(4'hf));
  assign bitmap = dut.u_registers.u_operands.u_page_unit.gen_class[0].gen_unit.u_object_unit.bitmap_q;
  assign first_free = dut.u_registers.u_operands.u_page_unit.gen_class[0].gen_unit.u_object_unit.object_o;

  always #5 pclk = ~pclk;

  // An access takes a cycle of setup and one of access; inputs change shortly after the edge.
  task automatic access(input logic write, input logic [12:0] address, input logic [31:0] word);
    {psel, penable, pwrite, paddr, pwdata} = {1'b1, 1'b0, write, address, word};
    @(posedge pclk) #1 penable = 1'b1;
    @(posedge pclk) #1 {psel, penable, pwrite, paddr, pwdata} = '0;
  endtask

  initial begin
    @(posedge pclk) #1 presetn = 1'b1;
    access(1'b1, 13'h1000, 32'hfffffff0);
    @(posedge pclk) #1;
    $dumpfile("waveform.vcd");
    $dumpvars(1, waveform);
    @(posedge pclk) #1;
    access(1'b0, 13'h0100, 32'd0);
    @(posedge pclk) #1;
    access(1'b1, 13'h0200, 32'd4);
    @(posedge pclk) #1;
    @(posedge pclk) #1 $finish;
  end
endmodule
