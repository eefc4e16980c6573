// The page unit behind registers of 32 bits, for buses: hardware/registers.csv in gates, documented in doc/registers.md.
//
// A request is carried out in the cycle in which valid_i and ready_o are 1. error_o: there is no such register, or not in that direction;
// then nothing is done and 0 is read.
module page_unit_registers #(
    parameter int P = 4096,
    parameter int S = 16,
    parameter int PIPELINED = 0
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        valid_i,
    input  logic        write_i,
    input  logic [12:0] address_i,
    input  logic [31:0] data_i,
    output logic        ready_o,
    output logic        error_o,
    output logic [31:0] data_o
);
  localparam int Leaves = P / S;
  localparam int Classes = $clog2(Leaves);
  // The map has room for 16 classes and 64 words.
  must_hold #(.CONDITION(Classes <= 16 && Leaves <= 64 * 32)) u_bitmaps_fit_the_registers ();
  localparam logic [31:0] Identity = 32'h5047_0001;
  localparam logic [31:0] Parameters = {8'(Classes), 8'd32, 8'($clog2(S)), 8'($clog2(P))};

  // Which register: its group, the class and the word.
  logic       is_identity, is_parameters, is_allocate, is_free, is_bitmap, is_there, is_unit;
  logic [3:0] class_of;
  logic [5:0] word;
  assign is_identity = ~write_i & (address_i == 13'h0000);
  assign is_parameters = ~write_i & (address_i == 13'h0004);
  assign is_allocate = ~write_i & (address_i[12:6] == 7'h04) & (address_i[1:0] == 2'd0);
  assign is_free = write_i & (address_i[12:6] == 7'h08) & (address_i[1:0] == 2'd0);
  assign is_bitmap = address_i[12] & (address_i[1:0] == 2'd0);
  assign class_of = is_bitmap ? address_i[11:8] : address_i[5:2];
  assign word = address_i[7:2];

  // Of the class there are this many words.
  assign is_there = (32'(class_of) < Classes) & (~is_bitmap | 32'(word) * 32 < (Leaves >> class_of));
  assign is_unit = (is_allocate | is_free | is_bitmap) & is_there;
  assign error_o = ~(is_identity | is_parameters | is_unit);

  logic [1:0]  op;
  logic        ready, write;
  logic [31:0] rd;
  assign op = is_allocate ? unit_pkg::OpAllocate :
              is_free ? unit_pkg::OpFree :
              write_i ? unit_pkg::OpLoad : unit_pkg::OpStore;

  page_unit_operands #(
      .P        (P),
      .S        (S),
      .PIPELINED(PIPELINED)
  ) u_operands (
      .clk_i,
      .rst_ni,
      .valid_i(valid_i & is_unit),
      .op_i   (op),
      .rs1_i  ({18'd0, word, 4'd0, class_of}),
      .rs2_i  (data_i),
      .ready_o(ready),
      .write_o(write),
      .rd_o   (rd)
  );

  assign ready_o = ready | ~is_unit;
  assign data_o = is_identity ? Identity : is_parameters ? Parameters : (is_unit & write) ? rd : '0;
endmodule
