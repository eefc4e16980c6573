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
//
// A request is carried out in the cycle in which valid_i and ready_o are 1; until then its inputs are held. As it is, ready_o is always 1.
// PIPELINED puts a register behind the trees, which halves the longest path: the first free object is known a cycle after
// the bitmap changed, so an `allocate` in the cycle after a change waits for one cycle, and nothing else ever does.
module object_unit #(
    parameter int LEAVES = 256,
    parameter int W = 32,
    // 1: a register behind the trees
    parameter int PIPELINED = 0,
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
    // whether the request is carried out in this cycle
    output logic              ready_o,
    // allocate: whether an object is free, and the first
    output logic              any_o,
    output logic [Depth-1:0]  object_o,
    output logic [W-1:0]      data_o
`ifdef ASSERTIONS
    ,
    output logic [LEAVES-1:0] bitmap_o
`endif
);
  must_hold #(.CONDITION(LEAVES >= 2 && 2 ** Depth == LEAVES)) u_leaves_is_a_power_of_two ();
  must_hold #(.CONDITION(W >= 2 && 2 ** $clog2(W) == W)) u_w_is_a_power_of_two ();

  logic [LEAVES-1:0] bitmap_d, bitmap_q, flipped;
  logic              takes, frees, all;
  logic [Depth-1:0]  address;

  // What the trees say of the bitmap, in this cycle.
  logic             tree_any, tree_all;
  logic [Depth-1:0] tree_address;

  // Is there a free object? The root tells; the nodes below it serve none but the tree itself.
  /* verilator lint_off UNUSEDSIGNAL */
  logic [2*LEAVES-1:1] node;
  /* verilator lint_on UNUSEDSIGNAL */
  or_tree #(.LEAVES(LEAVES)) u_or_tree (.leaf_i(bitmap_q), .node_o(node));
  assign tree_any = node[1];

  // Where is the first?
  and_tree #(.LEAVES(LEAVES)) u_and_tree (.taken_i(~bitmap_q), .all_o(tree_all), .address_o(tree_address));

  if (PIPELINED != 0) begin : gen_pipelined
    // stale_q: the bitmap changed since the trees' register looked at it.
    logic             any_q, stale_q;
    logic [Depth-1:0] address_q;
    always_ff @(posedge clk_i) begin
      stale_q <= !rst_ni | (valid_i & ready_o & (op_i != unit_pkg::OpStore));
      {any_q, address_q} <= {tree_any, tree_address};
    end
    assign {any_o, all, object_o} = {any_q, ~any_q, address_q};
    // The root of one tree is the complement of the other's.
    logic unused;
    assign unused = tree_all;
    assign ready_o = ~(stale_q & (op_i == unit_pkg::OpAllocate));
  end else begin : gen_at_once
    assign {any_o, all, object_o} = {tree_any, tree_all, tree_address};
    assign ready_o = 1'b1;
  end

  assign takes = valid_i & ready_o & (op_i == unit_pkg::OpAllocate) & ~all;
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

`ifdef ASSERTIONS
  assign bitmap_o = bitmap_q;
  object_unit_properties #(
      .LEAVES   (LEAVES),
      .W        (W),
      .PIPELINED(PIPELINED)
  ) u_properties (
      .clk_i,
      .rst_ni,
      .valid_i,
      .op_i,
      .object_i,
      .word_i,
      .data_i,
      .ready_i (ready_o),
      .any_i   (any_o),
      .first_i (object_o),
      .read_i  (data_o),
      .bitmap_i(bitmap_q)
  );
`endif
endmodule
