// What page_unit promises, as assertions: what object_unit does for one class, of the class that a request names, and that no
// other class changes. page_unit has an instance of it where ASSERTIONS is defined.
//
// held_i has the bitmaps of all classes side by side, LEAVES bits a class.
module page_unit_properties #(
    parameter int P = 4096,
    parameter int S = 16,
    parameter int W = 32,
    parameter int PIPELINED = 0,
    // follow from those above: not to be set
    parameter int Leaves = P / S,
    parameter int Classes = $clog2(Leaves),
    parameter int Depth = $clog2(Leaves),
    parameter int Class = Classes > 1 ? $clog2(Classes) : 1,
    parameter int Words = (Leaves + W - 1) / W,
    parameter int Number = Words > 1 ? $clog2(Words) : 1
) (
    input logic                      clk_i,
    input logic                      rst_ni,
    input logic                      valid_i,
    input logic [1:0]                op_i,
    input logic [Class-1:0]          class_i,
    input logic [Depth-1:0]          object_i,
    input logic [Number-1:0]         word_i,
    input logic [W-1:0]              data_i,
    // whether it is carried out, and what it answers
    input logic                      ready_i,
    input logic                      any_i,
    input logic [Depth-1:0]          first_i,
    input logic [W-1:0]              read_i,
    // what it holds
    input logic [Classes*Leaves-1:0] held_i
);
  // The class, the object and the bit of a word that are looked at; nothing is said of a class that there is not.
`ifdef FORMAL
  (* anyseq *) logic [Class-1:0] of_class;
  (* anyseq *) logic [Depth-1:0] watched;
`else
  logic [Class-1:0] of_class = '0;
  logic [Depth-1:0] watched = '0;
  always @(posedge clk_i) begin
    watched  <= watched + Depth'(1);
    of_class <= of_class + Class'(watched == '1);
  end
`endif
  logic             is_class;
  logic [Depth-1:0] last;
  assign is_class = 32'(of_class) < Classes;
  // The last object of the class: P / S >> class of them, less one.
  assign last = Depth'((Leaves >> of_class) - 1);

  // The cycle before: none at first.
  logic                      seen_q = 1'b0;
  logic                      rst_nq, valid_q, any_q;
  logic [1:0]                op_q;
  logic [Class-1:0]          class_q;
  logic [Depth-1:0]          object_q, first_q;
  logic [Number-1:0]         word_q;
  logic [W-1:0]              data_q;
  logic [Classes*Leaves-1:0] held_q;
  always @(posedge clk_i) begin
    seen_q <= 1'b1;
    {rst_nq, valid_q, op_q, class_q, object_q, word_q} <= {rst_ni, valid_i && ready_i, op_i, class_i, object_i, word_i};
    {data_q, any_q, first_q, held_q} <= {data_i, any_i, first_i, held_i};
  end

  // The bitmap of the watched class, now and before. A class of fewer words has its words again beyond them.
  logic [Leaves-1:0] bitmap, bitmap_q;
  logic [Number-1:0] last_word;
  logic              asked_q, next;
  assign bitmap = is_class ? held_i[32'(of_class)*Leaves+:Leaves] : '0;
  assign bitmap_q = is_class ? held_q[32'(of_class)*Leaves+:Leaves] : '0;
  assign last_word = Number'(32'(last) / W);
  assign asked_q = valid_q && class_q == of_class;
  always_comb begin
    next = bitmap_q[watched];
    if (!rst_nq) next = 1'b0;
    else if (asked_q && op_q == unit_pkg::OpAllocate && any_q && first_q == watched) next = 1'b0;
    else if (asked_q && op_q == unit_pkg::OpFree && (object_q & last) == watched) next = 1'b1;
    else if (asked_q && op_q == unit_pkg::OpLoad && (word_q & last_word) == Number'(32'(watched) / W))
      next = data_q[32'(watched)%W];
  end

  // Whether the answer of an allocation counts: else it belongs to an earlier bitmap, or nobody asks for it.
  logic answers;
  assign answers = PIPELINED == 0 || (seen_q && ready_i && op_i == unit_pkg::OpAllocate);

  always @(posedge clk_i) begin
    // The bitmap changes as the request says, in the class and at the place that it says, and nowhere else.
    if (seen_q && is_class) assert (watched > last || bitmap[watched] == next);
    if (of_class == class_i) begin
      // Some object of the class is free exactly if it says so; the first is free, and none before it.
      assert (!answers || any_i == (bitmap != '0));
      assert (!answers || !any_i || bitmap[first_i]);
      assert (!answers || !any_i || watched >= first_i || !bitmap[watched]);
      // Nothing but an allocation ever waits, and that for one cycle.
      assert (ready_i || (PIPELINED != 0 && op_i == unit_pkg::OpAllocate));
      // Words are those of the class's bitmap, whatever the operation.
      assert (watched > last || (word_i & last_word) != Number'(32'(watched) / W) ||
                       read_i[32'(watched)%W] == bitmap[watched]);
    end
    // A class that there is not has nothing.
    if (32'(class_i) >= Classes) assert (ready_i && !any_i && read_i == '0);
    // Bits beyond the last object of a class are never held.
    assert (watched <= last || !bitmap[watched]);
  end
endmodule
