// The whole unit (Li, Mohanty and Kavi, Figure 2): for every size of object from S to P / 2 bytes the bitmap of one page
// of P bytes, and a multiplexer that chooses the one that a request is about.
//
// Class c holds objects of S << c bytes: P / S >> c of them a page. See object_unit for the operations.
module page_unit #(
    parameter int P = 4096,
    parameter int S = 16,
    parameter int W = 32,
    // 1: a register behind the trees (object_unit)
    parameter int PIPELINED = 0,
    // follow from those above: not to be set
    parameter int Leaves = P / S,
    parameter int Classes = $clog2(Leaves),
    parameter int Depth = $clog2(Leaves),
    parameter int Class = Classes > 1 ? $clog2(Classes) : 1,
    parameter int Words = (Leaves + W - 1) / W,
    parameter int Number = Words > 1 ? $clog2(Words) : 1
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              valid_i,
    input  logic [1:0]        op_i,
    input  logic [Class-1:0]  class_i,
    input  logic [Depth-1:0]  object_i,
    input  logic [Number-1:0] word_i,
    input  logic [W-1:0]      data_i,
    output logic              ready_o,
    output logic              any_o,
    output logic [Depth-1:0]  object_o,
    output logic [W-1:0]      data_o
);
  must_hold #(.CONDITION(Leaves >= 2 && Leaves * S == P && 2 ** Depth == Leaves)) u_p_by_s_is_a_power_of_two ();
  must_hold #(.CONDITION(W >= 2 && 2 ** $clog2(W) == W)) u_w_is_a_power_of_two ();

  // What the units of the classes answer, side by side; 0 beyond the last class.
  localparam int Places = 1 << Class;
  logic [Places-1:0]       any, ready;
  logic [Places*Depth-1:0] object;
  logic [Places*W-1:0]     data;
`ifdef ASSERTIONS
  logic [Classes*Leaves-1:0] held;
`endif

  for (genvar c = 0; c < Places; c++) begin : gen_class
    if (c < Classes) begin : gen_unit
      localparam int Objects = Leaves >> c;
      localparam int Bits = $clog2(Objects);
      localparam int Held = (Objects + W - 1) / W;
      localparam int HeldNumber = Held > 1 ? $clog2(Held) : 1;
      logic [Bits-1:0] first;
      object_unit #(
          .LEAVES   (Objects),
          .W        (W),
          .PIPELINED(PIPELINED)
      ) u_object_unit (
          .clk_i,
          .rst_ni,
          .valid_i (valid_i & (class_i == c[Class-1:0])),
          .op_i,
          .object_i(object_i[Bits-1:0]),
          .word_i  (word_i[HeldNumber-1:0]),
          .data_i,
          .ready_o (ready[c]),
          .any_o   (any[c]),
          .object_o(first),
          .data_o  (data[c*W+:W])
`ifdef ASSERTIONS
          ,
          .bitmap_o(held[c*Leaves+:Objects])
`endif
      );
`ifdef ASSERTIONS
      if (c > 0) begin : gen_beyond
        assign held[c*Leaves+Objects+:Leaves-Objects] = '0;
      end
`endif
      assign object[c*Depth+:Depth] = Depth'(first);
    end else begin : gen_none
      assign ready[c] = 1'b1;
      assign any[c] = 1'b0;
      assign object[c*Depth+:Depth] = '0;
      assign data[c*W+:W] = '0;
    end
  end

  if (PIPELINED != 0) begin : gen_ready
    selector #(.PLACES(Places), .W(1)) u_ready (.word_i(ready), .number_i(class_i), .word_o(ready_o));
  end else begin : gen_always
    // Every class always is, so nothing is built of what they say.
    assign ready_o = 1'b1;
    logic unused;
    assign unused = &ready;
  end
  selector #(.PLACES(Places), .W(1)) u_any (.word_i(any), .number_i(class_i), .word_o(any_o));
  selector #(.PLACES(Places), .W(Depth)) u_object (.word_i(object), .number_i(class_i), .word_o(object_o));
  selector #(.PLACES(Places), .W(W)) u_data (.word_i(data), .number_i(class_i), .word_o(data_o));

`ifdef ASSERTIONS
  page_unit_properties #(
      .P        (P),
      .S        (S),
      .W        (W),
      .PIPELINED(PIPELINED)
  ) u_properties (
      .clk_i,
      .rst_ni,
      .valid_i,
      .op_i,
      .class_i,
      .object_i,
      .word_i,
      .data_i,
      .ready_i(ready_o),
      .any_i  (any_o),
      .first_i(object_o),
      .read_i (data_o),
      .held_i (held)
  );
`endif
endmodule
