import { expect, test } from "bun:test";
import { tuningWithCache, usualTuning } from "./tuning";

const megabyte = 1024 * 1024;

test("a question may take 600 MB, or half of the cache of its thread where that is more", () => {
  expect(usualTuning.questionBytesMax).toBe(600 * megabyte);
  expect(tuningWithCache(1_200 * megabyte).questionBytesMax).toBe(600 * megabyte);
  expect(tuningWithCache(1_202 * megabyte).questionBytesMax).toBe(601 * megabyte);
});

test("rows that passed filters may take 64 MB, or a quarter of the cache where that is more", () => {
  expect(usualTuning.passingRowsBytesMax).toBe(64 * megabyte);
  expect(tuningWithCache(256 * megabyte).passingRowsBytesMax).toBe(64 * megabyte);
  expect(tuningWithCache(260 * megabyte).passingRowsBytesMax).toBe(65 * megabyte);
});

test("garbage is collected when it is 32 MB, or a sixteenth of the cache where that is more", () => {
  expect(usualTuning.garbageBytesMax).toBe(32 * megabyte);
  expect(tuningWithCache(512 * megabyte).garbageBytesMax).toBe(32 * megabyte);
  expect(tuningWithCache(528 * megabyte).garbageBytesMax).toBe(33 * megabyte);
});

test("a thread without a cache has the usual sizes", () => {
  expect(tuningWithCache(0)).toEqual(usualTuning);
});
