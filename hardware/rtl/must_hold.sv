// Stops the elaboration where a condition on parameters does not hold. The name of its instance says which one.
module must_hold #(
    parameter logic CONDITION = 1'b1
) ();
  if (!CONDITION) begin : gen_broken
`ifdef __ICARUS__
    // Icarus Verilog 11 has no $error outside of procedures; that there is no such module stops it too.
    parameter_out_of_range u_stop ();
`else
    $error("a parameter is out of range: the instance's name says which");
`endif
  end
endmodule
