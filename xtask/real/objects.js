// Objects, buffers and compressed streams: node objects.js ROUNDS
//
// Node keeps JavaScript's objects in a heap of its own; what it asks malloc for is buffers, what its compiler and its
// libraries need, and what its threads do at once: so there is some of each. Prints sums only.
"use strict";
const zlib = require("zlib");
const crypto = require("crypto");

const rounds = Number(process.argv[2] || 20);
let state = 7;
const draw = (below) => {
  state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
  return (state >> 8) % below;
};

// Trees of objects, and text of them and back.
let sum = 0;
for (let round = 0; round < rounds; round++) {
  const records = Array.from({ length: 2000 }, (_, i) => ({ id: i, name: "record " + draw(1000), tags: [draw(9), draw(9)] }));
  const again = JSON.parse(JSON.stringify(records));
  sum += again.filter((record) => record.tags.includes(3)).length;
  const byName = new Map(again.map((record) => [record.name, record]));
  sum += byName.size;
}
console.log("objects", sum);

// Buffers of many sizes; every second one is kept for a while.
const kept = [];
const hash = crypto.createHash("sha256");
for (let i = 0; i < rounds * 1000; i++) {
  const buffer = Buffer.allocUnsafeSlow(16 + draw(8000)).fill(i & 255);
  if (i % 2) kept.push(buffer);
  if (kept.length > 500) hash.update(kept.splice(draw(kept.length), 1)[0]);
}
console.log("buffers", hash.digest("hex"));

// Functions that are compiled anew.
let compiled = 0;
for (let i = 0; i < rounds * 20; i++) compiled += new Function("x", `let y = x + ${i}; return (() => y * 2)()`)(i);
console.log("compiled", compiled);

// Streams on libuv's threads: deflate needs a large window each, many at once.
const text = Buffer.from(Array.from({ length: 20000 }, () => "word" + draw(500)).join(" "));
const streams = Array.from({ length: rounds * 2 }, (_, i) =>
  new Promise((resolve, reject) => {
    zlib.deflate(text.subarray(i), { level: 1 + (i % 9) }, (error, packed) =>
      error ? reject(error) : zlib.inflate(packed, (error, back) => (error ? reject(error) : resolve(back.length))));
  }));
const keys = Array.from({ length: 8 }, (_, i) =>
  new Promise((resolve, reject) =>
    crypto.scrypt("password", "salt" + i, 32, { N: 1024 }, (error, key) => (error ? reject(error) : resolve(key.toString("hex"))))));
Promise.all([...streams, ...keys]).then((all) => {
  const digest = crypto.createHash("sha256").update(all.join()).digest("hex");
  console.log("streams", digest);
});
