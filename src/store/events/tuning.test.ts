import { expect, test } from "bun:test";
import { tuningWithCache, usualTuning } from "./tuning";

test("a question may take 600 MB, or half of the cache of its thread where that is more", () => {
  const bytes = 600 * 1024 * 1024;
  expect(usualTuning.questionBytesMax).toBe(bytes);
  expect(tuningWithCache(0)).toEqual(usualTuning);
  expect(tuningWithCache(2 * bytes)).toEqual(usualTuning);
  expect(tuningWithCache(2 * bytes + 2)).toEqual({ ...usualTuning, questionBytesMax: bytes + 1 });
});
