"""The unit on AXI4-Lite, driven by the master of cocotbext-axi, with and without pauses on its channels."""

import itertools

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp

from page_model import ByRegisters, Model, check_registers, compare


async def bus_of(dut, pauses):
    cocotb.start_soon(Clock(dut.aclk, 10, "ns").start())
    dut.aresetn.value = 0
    master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi"), dut.aclk, dut.aresetn, reset_active_level=False)
    if pauses:
        channels = [master.write_if.aw_channel, master.write_if.w_channel, master.write_if.b_channel]
        channels += [master.read_if.ar_channel, master.read_if.r_channel]
        for number, channel in enumerate(channels):
            channel.set_pause_generator(itertools.cycle([0, 1, 0, 0, 1, 1, 0][number:] + [1, 0][: number % 2 + 1]))
    for _ in range(3):
        await RisingEdge(dut.aclk)
    dut.aresetn.value = 1
    await RisingEdge(dut.aclk)

    async def read(address):
        answer = await master.read(address, 4)
        return int.from_bytes(answer.data, "little"), answer.resp == AxiResp.OKAY

    async def write(address, value):
        return (await master.write(address, value.to_bytes(4, "little"))).resp == AxiResp.OKAY

    return ByRegisters(read, write), master


def sizes(dut):
    return int(dut.P.value), int(dut.S.value)


@cocotb.test()
async def registers_are_those_of_the_table(dut):
    unit, _ = await bus_of(dut, pauses=False)
    await check_registers(unit, *sizes(dut))


@cocotb.test()
async def requests_do_what_the_model_does(dut):
    unit, _ = await bus_of(dut, pauses=False)
    await compare(Model(*sizes(dut)), unit)


@cocotb.test()
async def they_do_with_pauses(dut):
    unit, _ = await bus_of(dut, pauses=True)
    await compare(Model(*sizes(dut)), unit, requests=200, seed=2)


@cocotb.test()
async def a_part_of_a_word_is_refused(dut):
    unit, master = await bus_of(dut, pauses=False)
    assert (await master.write(unit.map["bitmap"].at(), b"\x01")).resp == AxiResp.SLVERR
    assert await unit.store(0, 0) == 0
