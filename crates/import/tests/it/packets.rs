//! Writes recordings as SystemView's packets, for the tests.

/// The events that begin a module, and its heap's usual ones.
pub const ALLOC: u32 = 512;
pub const FREE: u32 = 513;

/// A clock of 1 MHz, addresses from 0x20000000 on, shifted by 2 bits.
pub const CLOCK: [u32; 4] = [1_000_000, 80_000_000, 0x2000_0000, 2];
pub const HEAP_MODULE: &str = "M=ESP32 SystemView Heap Tracing Module";

/// A stream of packets, each 5 ticks after the one before.
pub struct Stream(pub Vec<u8>);

impl Stream {
    /// One that begins: zero bytes, the begin, the clock.
    pub fn begin() -> Stream {
        Stream(vec![0; 10]).with(10, &[]).with(24, &CLOCK)
    }

    /// One with a module whose first event is `first`.
    pub fn with_module(self, first: u32, name: &str) -> Stream {
        let mut stream = self;
        stream.0.push(22);
        stream.number(0);
        stream.number(first);
        stream.text(name);
        stream.number(5);
        stream
    }

    pub fn with_system(mut self, text: &str) -> Stream {
        self.0.push(14);
        self.text(text);
        self.number(5);
        self
    }

    /// A packet of numbers.
    pub fn with(self, event: u32, numbers: &[u32]) -> Stream {
        self.packet(event, 0, numbers)
    }

    /// One of the second core, in a recording whose events say so: the highest bit of one byte, or of two.
    pub fn on_second_core(self, event: u32, numbers: &[u32]) -> Stream {
        self.packet(event, if event < 1 << 6 { 1 << 6 } else { 1 << 13 }, numbers)
    }

    fn packet(mut self, event: u32, core: u32, numbers: &[u32]) -> Stream {
        let mut payload = Stream(Vec::new());
        numbers.iter().for_each(|number| payload.number(*number));
        self.number(event | core);
        if event >= 24 {
            self.number(payload.0.len() as u32);
        }
        self.0.extend(payload.0);
        self.number(5);
        self
    }

    fn text(&mut self, text: &str) {
        match u8::try_from(text.len()) {
            Ok(length) if length < 255 => self.0.push(length),
            _ => self.0.extend([255, (text.len() >> 8) as u8, text.len() as u8]),
        }
        self.0.extend(text.bytes());
    }

    fn number(&mut self, mut number: u32) {
        while number > 0x7f {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// As a program of the host saves it.
    pub fn saved(self, lines: &str) -> Vec<u8> {
        [b";\n; Version     SEGGER SystemViewer V3.60\n", lines.as_bytes(), b";\n", &self.0].concat()
    }
}

/// Two blocks, the first of which moves, in ESP-IDF's events.
pub fn esp_idf() -> Stream {
    let stream = Stream::begin().with_module(ALLOC, HEAP_MODULE).with(4, &[7]);
    stream
        .with(ALLOC, &[0x3ffb_0010, 100, 0x4008_2e5f, 0x400d_9c2d])
        .with(ALLOC, &[0x3ffb_0100, 200, 0x4008_2e5f, 0])
        .with(FREE, &[0x3ffb_0010, 0, 0])
        .with(ALLOC, &[0x3ffb_0200, 300, 0, 0])
        .with(FREE, &[0x3ffb_0100, 0, 0])
        .with(FREE, &[0x3ffb_0200, 0, 0])
}
