// One of PLACES words of W bits (PLACES a power of two, at least 2) by its number: a tree of multiplexers.
module selector #(
    parameter int PLACES = 8,
    parameter int W = 32,
    // follows from those above: not to be set
    parameter int Depth = $clog2(PLACES)
) (
    input  logic [PLACES*W-1:0] word_i,
    input  logic [Depth-1:0]    number_i,
    output logic [W-1:0]        word_o
);
  for (genvar l = 0; l <= Depth; l++) begin : gen_level
    localparam int Left = PLACES >> l;
    logic [Left*W-1:0] word;
    if (l == 0) begin : gen_places
      assign word = word_i;
    end else begin : gen_choice
      for (genvar n = 0; n < Left; n++) begin : gen_node
        assign word[n*W+:W] = number_i[l-1] ? gen_level[l-1].word[(2*n+1)*W+:W] : gen_level[l-1].word[2*n*W+:W];
      end
    end
  end
  assign word_o = gen_level[Depth].word;
endmodule
