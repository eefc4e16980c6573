// Chang's allocator (Chang and Gehringer 1996, as Li, Mohanty and Kavi describe it): a bit for every unit of the whole memory,
// LEAVES = M / S of them, 1 while the unit is used.
//
//   bits ─▶ or_tree ─▶ interconnection ─▶ and_tree ─▶ address ─▶ bit flipper ─▶ bits
//
// A request of `last_i` + 1 units gets the first free block of the next power of two, of which it takes only its units:
// the rest stays free. `free` needs the size as well as the address, which free() of C does not have.
module chang_allocator #(
    parameter int LEAVES = 256,
    // 1: the interconnection whose leaves share gates
    parameter int SHARED = 0,
    // follow from those above: not to be set
    parameter int Depth = $clog2(LEAVES)
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             valid_i,
    input  logic             free_i,
    input  logic [Depth-1:0] last_i,
    // free: where
    input  logic [Depth-1:0] address_i,
    // allocate: whether there is such a block, and where
    output logic             any_o,
    output logic [Depth-1:0] address_o
);
  must_hold #(.CONDITION(LEAVES >= 2 && 2 ** Depth == LEAVES)) u_leaves_is_a_power_of_two ();

  logic [LEAVES-1:0]   used_q, used_d, taken;
  logic [2*LEAVES-1:1] node;
  logic [Depth:0]      level;
  logic [Depth-1:0]    address;
  logic                all;

  // The level of the block: one above the highest bit of `last_i`.
  for (genvar l = 0; l <= Depth; l++) begin : gen_level
    logic above;
    if (l == Depth) begin : gen_top
      assign above = 1'b0;
    end else begin : gen_or
      assign above = last_i[l] | gen_level[l+1].above;
    end
    if (l == 0) begin : gen_unit
      assign level[0] = ~above;
    end else begin : gen_block
      assign level[l] = gen_level[l-1].above & ~above;
    end
  end

  or_tree #(.LEAVES(LEAVES)) u_or_tree (.leaf_i(used_q), .node_o(node));
  if (SHARED != 0) begin : gen_shared
    chang_interconnection_shared #(.LEAVES(LEAVES)) u_interconnection (
        .node_i (node),
        .level_i(level),
        .taken_o(taken)
    );
  end else begin : gen_direct
    chang_interconnection #(.LEAVES(LEAVES)) u_interconnection (
        .node_i (node),
        .level_i(level),
        .taken_o(taken)
    );
  end
  and_tree #(.LEAVES(LEAVES)) u_and_tree (.taken_i(taken), .all_o(all), .address_o);
  assign any_o = ~all;

  assign address = free_i ? address_i : address_o;
  chang_bit_flipper #(.LEAVES(LEAVES)) u_bit_flipper (
      .enable_i (valid_i & (free_i | ~all)),
      .set_i    (~free_i),
      .address_i(address),
      .last_i,
      .bit_i    (used_q),
      .bit_o    (used_d)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) used_q <= '0;
    else used_q <= used_d;
  end
endmodule
