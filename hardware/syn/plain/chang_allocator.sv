// What chang_allocator does, written explicitly. A free at an address that is no multiple of its block may do anything.
module plain_chang_allocator #(
    parameter int LEAVES = 256,
    parameter int SHARED = 0,
    parameter int Depth = $clog2(LEAVES)
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             valid_i,
    input  logic             free_i,
    input  logic [Depth-1:0] last_i,
    input  logic [Depth-1:0] address_i,
    output logic             any_o,
    output logic [Depth-1:0] address_o
);
  logic [LEAVES-1:0] used_q, used_d;
  logic [Depth:0]    block;
  logic              free;

  always_comb begin
    block = 1;
    for (int l = 0; l < Depth; l++) if (last_i[l]) block = 2 << l;
    any_o = 1'b0;
    address_o = '1;
    for (int l = 0; l <= Depth; l++) begin
      for (int at = LEAVES - (1 << l); at >= 0; at = at - (1 << l)) begin
        free = block == (1 << l);
        for (int n = at; n < at + (1 << l); n++) free = free & !used_q[n];
        if (free) begin
          any_o = 1'b1;
          address_o = at;
        end
      end
    end
    used_d = used_q;
    for (int n = 0; n < LEAVES; n++) begin
      if (valid_i && !free_i && any_o && n >= address_o && n <= address_o + last_i) used_d[n] = 1'b1;
      if (valid_i && free_i && n >= address_i && n <= address_i + last_i) used_d[n] = 1'b0;
    end
    if (free_i && (address_i & (block - 1)) != 0) used_d = 'x;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) used_q <= '0;
    else used_q <= used_d;
  end
endmodule
