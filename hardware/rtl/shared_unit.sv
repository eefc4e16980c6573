// One pair of trees for all sizes (Li, Mohanty and Kavi, section V): where the pages of every size have as many objects, all bitmaps have
// LEAVES bits, and the trees, the decoder and the flipper of one size serve the class that a request is about.
//
//   bitmap_q[0] ─┐
//   bitmap_q[1] ─┤ selector ──▶ and_tree, or_tree ──▶ bit_flipper ──▶ back to the class's bitmap
//   …            ┘
//
// Operations are those of object_unit, without its pipeline: every request is carried out at once.
module shared_unit #(
    parameter int LEAVES = 64,
    parameter int CLASSES = 8,
    parameter int W = 32,
    // follow from those above: not to be set
    parameter int Depth = $clog2(LEAVES),
    parameter int Class = $clog2(CLASSES),
    parameter int Words = LEAVES / W,
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
    output logic              any_o,
    output logic [Depth-1:0]  object_o,
    output logic [W-1:0]      data_o
);
  must_hold #(.CONDITION(W >= 2 && 2 ** $clog2(W) == W)) u_w_is_a_power_of_two ();
  must_hold #(.CONDITION(Words >= 1 && 2 ** Depth == LEAVES)) u_leaves_is_a_power_of_two_and_not_below_w ();
  must_hold #(.CONDITION(CLASSES >= 2 && 2 ** Class == CLASSES)) u_classes_is_a_power_of_two ();

  logic [CLASSES*LEAVES-1:0] bitmap_d, bitmap_q;
  logic [LEAVES-1:0]         bitmap, flipped, changed;
  logic [CLASSES-1:0]        chosen;
  logic [Words-1:0]          line;
  logic                      all, takes, frees;
  /* verilator lint_off UNUSEDSIGNAL */
  logic [2*LEAVES-1:1]       node;
  /* verilator lint_on UNUSEDSIGNAL */

  selector #(.PLACES(CLASSES), .W(LEAVES)) u_bitmap (.word_i(bitmap_q), .number_i(class_i), .word_o(bitmap));
  or_tree #(.LEAVES(LEAVES)) u_or_tree (.leaf_i(bitmap), .node_o(node));
  and_tree #(.LEAVES(LEAVES)) u_and_tree (.taken_i(~bitmap), .all_o(all), .address_o(object_o));
  assign any_o = node[1];
  assign takes = (op_i == unit_pkg::OpAllocate) & ~all;
  assign frees = op_i == unit_pkg::OpFree;
  bit_flipper #(.LEAVES(LEAVES)) u_bit_flipper (
      .enable_i (takes | frees),
      .set_i    (frees),
      .address_i(frees ? object_i : object_o),
      .bit_i    (bitmap),
      .bit_o    (flipped)
  );

  if (Words == 1) begin : gen_word
    assign line = op_i == unit_pkg::OpLoad;
    assign data_o = bitmap;
    // The only word has no number.
    logic unused;
    assign unused = ^word_i;
  end else begin : gen_words
    demux #(.LEAVES(Words)) u_words (.enable_i(op_i == unit_pkg::OpLoad), .address_i(word_i), .line_o(line));
    selector #(.PLACES(Words), .W(W)) u_data (.word_i(bitmap), .number_i(word_i), .word_o(data_o));
  end
  for (genvar n = 0; n < Words; n++) begin : gen_load
    assign changed[n*W+:W] = line[n] ? data_i : flipped[n*W+:W];
  end

  demux #(.LEAVES(CLASSES)) u_classes (.enable_i(valid_i), .address_i(class_i), .line_o(chosen));
  for (genvar c = 0; c < CLASSES; c++) begin : gen_class
    assign bitmap_d[c*LEAVES+:LEAVES] = chosen[c] ? changed : bitmap_q[c*LEAVES+:LEAVES];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) bitmap_q <= '0;
    else bitmap_q <= bitmap_d;
  end
endmodule
