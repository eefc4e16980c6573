// What object_unit promises, as assertions. object_unit has an instance of it where ASSERTIONS is defined: in simulations, where
// an object is watched in turn, and in proofs, where it is any.
//
// The bitmap of the next cycle follows from the inputs and the bitmap of this one, reset included; so what holds for one step
// from every bitmap holds for every run, and nothing has to be assumed of the beginning.
module object_unit_properties #(
    parameter int LEAVES = 256,
    parameter int W = 32,
    parameter int PIPELINED = 0,
    // follow from those above: not to be set
    parameter int Depth = $clog2(LEAVES),
    parameter int Words = (LEAVES + W - 1) / W,
    parameter int Number = Words > 1 ? $clog2(Words) : 1
) (
    input logic              clk_i,
    input logic              rst_ni,
    input logic              valid_i,
    input logic [1:0]        op_i,
    input logic [Depth-1:0]  object_i,
    input logic [Number-1:0] word_i,
    input logic [W-1:0]      data_i,
    // whether it is carried out, and what it answers
    input logic              ready_i,
    input logic              any_i,
    input logic [Depth-1:0]  first_i,
    input logic [W-1:0]      read_i,
    // what it holds
    input logic [LEAVES-1:0] bitmap_i
);
  // The object and the bit of a word that are looked at.
`ifdef FORMAL
  (* anyseq *) logic [Depth-1:0] watched;
`else
  logic [Depth-1:0] watched = '0;
  always @(posedge clk_i) watched <= watched + Depth'(1);
`endif

  // The cycle before: none at first.
  logic              seen_q = 1'b0;
  logic              rst_nq, valid_q, any_q;
  logic [1:0]        op_q;
  logic [Depth-1:0]  object_q, first_q;
  logic [Number-1:0] word_q;
  logic [W-1:0]      data_q;
  logic [LEAVES-1:0] bitmap_q;
  always @(posedge clk_i) begin
    seen_q <= 1'b1;
    {rst_nq, valid_q, op_q, object_q, word_q} <= {rst_ni, valid_i && ready_i, op_i, object_i, word_i};
    {data_q, any_q, first_q, bitmap_q} <= {data_i, any_i, first_i, bitmap_i};
  end

  // What the watched bit becomes.
  logic in_word, next;
  assign in_word = Words == 1 || word_q == Number'(32'(watched) / W);
  always_comb begin
    next = bitmap_q[watched];
    if (!rst_nq) next = 1'b0;
    else if (valid_q && op_q == unit_pkg::OpAllocate && any_q && first_q == watched) next = 1'b0;
    else if (valid_q && op_q == unit_pkg::OpFree && object_q == watched) next = 1'b1;
    else if (valid_q && op_q == unit_pkg::OpLoad && in_word) next = data_q[32'(watched)%W];
  end

  // Whether the answer of an allocation counts: else it belongs to an earlier bitmap, or nobody asks for it.
  logic answers;
  assign answers = PIPELINED == 0 || (seen_q && ready_i && op_i == unit_pkg::OpAllocate);

  always @(posedge clk_i) begin
    // The bitmap changes as the request says, and at no other place.
    if (seen_q) assert (bitmap_i[watched] == next);
    // Some object is free exactly if it says so; the first is free, and none before it.
    assert (!answers || any_i == (bitmap_i != '0));
    assert (!answers || !any_i || bitmap_i[first_i]);
    assert (!answers || !any_i || watched >= first_i || !bitmap_i[watched]);
    // Nothing but an allocation ever waits.
    assert (ready_i || (PIPELINED != 0 && op_i == unit_pkg::OpAllocate));
    // Words are those of the bitmap, whatever the operation.
    assert (!(Words == 1 || word_i == Number'(32'(watched) / W)) || read_i[32'(watched)%W] == bitmap_i[watched]);
  end

  // A word of more bits than there are objects ends in zeros.
  if (W > LEAVES) begin : gen_rest
    always @(posedge clk_i) assert (read_i[W-1:LEAVES] == '0);
  end
endmodule
