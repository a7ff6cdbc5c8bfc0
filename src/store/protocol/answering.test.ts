import { afterAll, expect, test } from "bun:test";
import { Thread, ThreadDied } from "./thread";

const workers: Worker[] = [];
const thread = new Thread<string>({
  name: "unsendable",
  start: () => {
    const worker = new Worker(new URL("../../../test/support/unsendable.ts", import.meta.url).href);
    workers.push(worker);
    return worker;
  },
  opening: "open",
  onLost: () => undefined,
});
afterAll(() => thread.stop());

test("a question whose answer cannot be sent is answered with a failure, and the thread goes on", async () => {
  await thread.opened;
  const [before, failed, after] = await Promise.allSettled(
    ["before", "function", "after"].map((question) => thread.ask<string>(question)),
  );
  expect(before).toEqual({ status: "fulfilled", value: "before" });
  expect(after).toEqual({ status: "fulfilled", value: "after" });
  expect(failed).toMatchObject({ status: "rejected", reason: { name: "DataCloneError" } });
  expect(failed).not.toMatchObject({ reason: expect.any(ThreadDied) });
  expect(workers).toHaveLength(1);
});
