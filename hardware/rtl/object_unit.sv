// The unit for objects of one size (Li, Mohanty and Kavi, Figure 1): the bitmap of a page of LEAVES objects,
// searched in one cycle.
//
//            ┌──────────┐ taken ┌──────────┐ first free
//   load ──▶ │ bitmap_q │──────▶│ and_tree │─────┐ allocate
//            └──────────┘       └──────────┘   ┌─▼─┐      ┌─────────────┐
//              ▲     │ free     ┌──────────┐   │mux│─────▶│ bit_flipper │──┐
//              │     └─────────▶│ or_tree  │   └─▲─┘      └─────────────┘  │
//              │                └────┬─────┘     │ free: object_i          │
//              │                     ▼ any_o                               │
//              └───────────────────────────────────────────────────────────┘
//
// A bit is 1 while its object is free. The answer to `allocate` is valid in the cycle of the request; the bitmap
// changes at its end. `free` has no answer. Words of the bitmap are W bits; object 0 is the lowest bit of word 0.
// `allocate` in a page without a free object changes nothing (any_o is 0).
module object_unit #(
    parameter int LEAVES = 256,
    parameter int W = 32,
    // follow from those above: not to be set
    parameter int Depth = $clog2(LEAVES),
    parameter int Words = (LEAVES + W - 1) / W,
    parameter int Number = Words > 1 ? $clog2(Words) : 1
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              valid_i,
    input  logic [1:0]        op_i,
    // free: which object
    input  logic [Depth-1:0]  object_i,
    // load, store: which word of the bitmap
    input  logic [Number-1:0] word_i,
    input  logic [W-1:0]      data_i,
    // allocate: whether an object is free, and the first
    output logic              any_o,
    output logic [Depth-1:0]  object_o,
    output logic [W-1:0]      data_o
);
  logic [LEAVES-1:0] bitmap_d, bitmap_q, flipped;
  logic              takes, frees, all;
  logic [Depth-1:0]  address;

  // Is there a free object? The root tells; the nodes below it serve none but the tree itself.
  /* verilator lint_off UNUSEDSIGNAL */
  logic [2*LEAVES-1:1] node;
  /* verilator lint_on UNUSEDSIGNAL */
  or_tree #(.LEAVES(LEAVES)) u_or_tree (.leaf_i(bitmap_q), .node_o(node));
  assign any_o = node[1];

  // Where is the first?
  and_tree #(.LEAVES(LEAVES)) u_and_tree (.taken_i(~bitmap_q), .all_o(all), .address_o(object_o));

  assign takes = valid_i & (op_i == unit_pkg::OpAllocate) & ~all;
  assign frees = valid_i & (op_i == unit_pkg::OpFree);
  assign address = frees ? object_i : object_o;
  bit_flipper #(.LEAVES(LEAVES)) u_bit_flipper (
      .enable_i (takes | frees),
      .set_i    (frees),
      .address_i(address),
      .bit_i    (bitmap_q),
      .bit_o    (flipped)
  );

  // Words of the bitmap, in and out.
  if (Words == 1) begin : gen_word
    assign data_o = W'(bitmap_q);
    assign bitmap_d = valid_i & (op_i == unit_pkg::OpLoad) ? data_i[LEAVES-1:0] : flipped;
    // The only word has no number, and a bitmap of fewer bits takes no more.
    logic unused;
    assign unused = ^{word_i, data_i};
  end else begin : gen_words
    logic [Words-1:0] line;
    demux #(.LEAVES(Words)) u_words (.enable_i(valid_i & (op_i == unit_pkg::OpLoad)), .address_i(word_i), .line_o(line));
    for (genvar n = 0; n < Words; n++) begin : gen_load
      assign bitmap_d[n*W+:W] = line[n] ? data_i : flipped[n*W+:W];
    end
    selector #(.PLACES(Words), .W(W)) u_data (.word_i(bitmap_q), .number_i(word_i), .word_o(data_o));
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) bitmap_q <= '0;
    else bitmap_q <= bitmap_d;
  end
endmodule
