// A VexRiscv with caches and a unit:
//
//   UNIT 0   the page unit as its custom function unit
//   UNIT 1   the page unit on APB at 0x9000_0000
//   UNIT 2   the ideal unit as its custom function unit
//   UNIT 3   the unit for bins as its custom function unit: funct7 0 finds (rd is 128 if there is none), 1 sets, 2 clears
//
// Its memory is the test bench's: a bus for instructions and one for data, Wishbone with bursts of a cache line. Addresses from
// 0x8000_0000 on are not cached.
module system #(
    parameter int UNIT = 0
) (
    input  logic        clk_i,
    input  logic        rst_i,
    // an instruction is completed in this cycle
    output logic        retired_o,
    output logic        i_valid_o,
    output logic [29:0] i_address_o,
    input  logic        i_ack_i,
    input  logic [31:0] i_data_i,
    output logic        d_valid_o,
    output logic        d_write_o,
    output logic [29:0] d_address_o,
    output logic [3:0]  d_select_o,
    output logic [31:0] d_data_o,
    input  logic        d_ack_i,
    input  logic [31:0] d_data_i
);
  logic        cmd_valid, cmd_ready, rsp_valid, rsp_ready;
  logic [9:0]  function_id;
  logic [31:0] one, two, answer;
  logic        d_cyc, on_apb, access_q, apb_ready;
  logic [31:0] apb_data;

  /* verilator lint_off PINCONNECTEMPTY */
  VexRiscv u_core (
      .externalResetVector                  (32'd0),
      .timerInterrupt                       (1'b0),
      .softwareInterrupt                    (1'b0),
      .externalInterruptArray               (32'd0),
      .CfuPlugin_bus_cmd_valid              (cmd_valid),
      .CfuPlugin_bus_cmd_ready              (cmd_ready),
      .CfuPlugin_bus_cmd_payload_function_id(function_id),
      .CfuPlugin_bus_cmd_payload_inputs_0   (one),
      .CfuPlugin_bus_cmd_payload_inputs_1   (two),
      .CfuPlugin_bus_rsp_valid              (rsp_valid),
      .CfuPlugin_bus_rsp_ready              (rsp_ready),
      .CfuPlugin_bus_rsp_payload_outputs_0  (answer),
      .iBusWishbone_CYC                     (i_valid_o),
      .iBusWishbone_STB                     (),
      .iBusWishbone_ACK                     (i_ack_i),
      .iBusWishbone_WE                      (),
      .iBusWishbone_ADR                     (i_address_o),
      .iBusWishbone_DAT_MISO                (i_data_i),
      .iBusWishbone_DAT_MOSI                (),
      .iBusWishbone_SEL                     (),
      .iBusWishbone_ERR                     (1'b0),
      .iBusWishbone_CTI                     (),
      .iBusWishbone_BTE                     (),
      .dBusWishbone_CYC                     (d_cyc),
      .dBusWishbone_STB                     (),
      .dBusWishbone_ACK                     (on_apb ? access_q & apb_ready : d_ack_i),
      .dBusWishbone_WE                      (d_write_o),
      .dBusWishbone_ADR                     (d_address_o),
      .dBusWishbone_DAT_MISO                (on_apb ? apb_data : d_data_i),
      .dBusWishbone_DAT_MOSI                (d_data_o),
      .dBusWishbone_SEL                     (d_select_o),
      .dBusWishbone_ERR                     (1'b0),
      .dBusWishbone_CTI                     (),
      .dBusWishbone_BTE                     (),
      .clk                                  (clk_i),
      .reset                                (rst_i)
  );

  assign retired_o = u_core.lastStageIsFiring;
  assign d_valid_o = d_cyc & ~on_apb;
  if (UNIT == 0) begin : gen_cfu
    page_unit_cfu u_cfu (
        .clk_i,
        .rst_ni           (~rst_i),
        .cmd_valid_i      (cmd_valid),
        .cmd_ready_o      (cmd_ready),
        .cmd_function_id_i(function_id),
        .cmd_inputs_0_i   (one),
        .cmd_inputs_1_i   (two),
        .rsp_valid_o      (rsp_valid),
        .rsp_ready_i      (rsp_ready),
        .rsp_outputs_0_o  (answer)
    );
    assign {on_apb, access_q, apb_ready, apb_data} = '0;
  end else if (UNIT == 2) begin : gen_ideal
    ideal_unit u_ideal (
        .clk_i,
        .valid_i      (cmd_valid & rsp_ready),
        .function_id_i(function_id),
        .inputs_0_i   (one),
        .inputs_1_i   (two),
        .outputs_0_o  (answer)
    );
    assign {cmd_ready, rsp_valid} = {rsp_ready, cmd_valid};
    assign {on_apb, access_q, apb_ready, apb_data} = '0;
  end else if (UNIT == 3) begin : gen_bins
    logic       any;
    logic [6:0] first;
    bin_unit u_bins (
        .clk_i,
        .rst_ni  (~rst_i),
        .valid_i (cmd_valid & rsp_ready),
        .change_i(function_id[4:3] != 2'd0),
        .set_i   (function_id[3]),
        .bin_i   (one[6:0]),
        .any_o   (any),
        .first_o (first)
    );
    // A bin beyond the last has none behind it.
    assign answer = any & (one < 32'd128) ? 32'(first) : 32'd128;
    assign {cmd_ready, rsp_valid} = {rsp_ready, cmd_valid};
    assign {on_apb, access_q, apb_ready, apb_data} = '0;
  end else begin : gen_apb
    assign {cmd_ready, rsp_valid, answer} = {1'b1, 1'b1, 32'd0};
    // A cycle of setup, then the access.
    assign on_apb = d_cyc & (d_address_o[29:26] == 4'h9);
    always_ff @(posedge clk_i) access_q <= ~rst_i & on_apb & ~(access_q & apb_ready);
    page_unit_apb u_apb (
        .pclk   (clk_i),
        .presetn(~rst_i),
        .psel   (on_apb),
        .penable(access_q),
        .pwrite (d_write_o),
        .paddr  ({d_address_o[10:0], 2'b00}),
        .pwdata (d_data_o),
        .pstrb  (d_select_o),
        .pready (apb_ready),
        .prdata (apb_data),
        .pslverr()
    );
  end
  /* verilator lint_on PINCONNECTEMPTY */
endmodule
