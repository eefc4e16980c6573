"""The unit on APB: every access by the phases of the protocol, with its wait states."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge

from page_model import ByRegisters, Model, check_registers, compare


class Apb:
    """A requester: a setup phase, then the access phase until pready."""

    def __init__(self, dut):
        self.dut, self.longest = dut, 0

    async def start(self):
        dut = self.dut
        cocotb.start_soon(Clock(dut.pclk, 10, "ns").start())
        dut.presetn.value, dut.psel.value, dut.penable.value = 0, 0, 0
        dut.pwrite.value, dut.paddr.value, dut.pwdata.value, dut.pstrb.value = 0, 0, 0, 0
        await RisingEdge(dut.pclk)
        await FallingEdge(dut.pclk)
        dut.presetn.value = 1

    async def access(self, write, address, value, strobe=0xF):
        dut = self.dut
        dut.psel.value, dut.penable.value, dut.pwrite.value = 1, 0, write
        dut.paddr.value, dut.pwdata.value, dut.pstrb.value = address, value, strobe if write else 0
        await FallingEdge(dut.pclk)
        dut.penable.value = 1
        waited = 0
        while True:
            await ReadOnly()
            if dut.pready.value == 1:
                break
            waited += 1
            await FallingEdge(dut.pclk)
        self.longest = max(self.longest, waited)
        answer = int(dut.prdata.value), int(dut.pslverr.value) == 0
        await FallingEdge(dut.pclk)
        dut.psel.value, dut.penable.value = 0, 0
        return answer

    async def read(self, address):
        return await self.access(0, address, 0)

    async def write(self, address, value):
        return (await self.access(1, address, value))[1]


def sizes(dut):
    return int(dut.P.value), int(dut.S.value)


@cocotb.test()
async def registers_are_those_of_the_table(dut):
    bus = Apb(dut)
    await bus.start()
    await check_registers(ByRegisters(bus.read, bus.write), *sizes(dut))


@cocotb.test()
async def requests_do_what_the_model_does(dut):
    bus = Apb(dut)
    await bus.start()
    await compare(Model(*sizes(dut)), ByRegisters(bus.read, bus.write))
    # The setup phase of APB is the cycle that the pipelined unit waits for.
    assert bus.longest == 0


@cocotb.test()
async def a_part_of_a_word_is_refused(dut):
    bus = Apb(dut)
    await bus.start()
    unit = ByRegisters(bus.read, bus.write)
    assert not (await bus.access(1, unit.map["bitmap"].at(), 1, strobe=0x1))[1]
    assert await unit.store(0, 0) == 0
