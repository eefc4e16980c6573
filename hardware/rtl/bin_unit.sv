// A unit for segregated fit, as Lea's allocator has it: which bins are not empty, and the first of them from a bin on, in one cycle.
//
//   bin_i ──▶ lines_from ──┐
//   bitmap_q ────────────▼─ & ──▶ and_tree ──▶ first_o
//      ▲ └──▶ bit_flipper ──┐
//      └────────────────────┘   set, clear
//
// Its bitmap is the whole of an allocator's, so nothing goes in and out; software sets a bin's bit when it gets its first block and clears
// it when it loses its last. A find changes nothing.
module bin_unit #(
    parameter int BINS = 128,
    // follow from those above: not to be set
    parameter int Depth = $clog2(BINS)
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             valid_i,
    // 1: bin_i becomes set_i; 0: nothing changes
    input  logic             change_i,
    input  logic             set_i,
    input  logic [Depth-1:0] bin_i,
    // whether a bin from bin_i on is not empty, and the first
    output logic             any_o,
    output logic [Depth-1:0] first_o
);
  must_hold #(.CONDITION(BINS >= 2 && 2 ** Depth == BINS)) u_bins_is_a_power_of_two ();

  logic [BINS-1:0] bitmap_d, bitmap_q, from;
  logic            none;

  lines_from #(.LEAVES(BINS)) u_lines_from (.number_i(bin_i), .line_o(from));
  and_tree #(.LEAVES(BINS)) u_and_tree (.taken_i(~(bitmap_q & from)), .all_o(none), .address_o(first_o));
  assign any_o = ~none;
  bit_flipper #(.LEAVES(BINS)) u_bit_flipper (
      .enable_i (valid_i & change_i),
      .set_i,
      .address_i(bin_i),
      .bit_i    (bitmap_q),
      .bit_o    (bitmap_d)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) bitmap_q <= '0;
    else bitmap_q <= bitmap_d;
  end
endmodule
