import { expect, test } from "bun:test";
import { ReadGate } from "./read-gate";

test("work runs alone: it waits for reads that run, and reads that begin meanwhile wait for it", async () => {
  const gate = new ReadGate();
  const seen: string[] = [];
  await gate.enter();
  const { promise, resolve: endWork } = Promise.withResolvers<void>();
  const working = gate.alone(async () => {
    seen.push("work begins");
    await promise;
    seen.push("work ends");
  });
  const reading = gate.enter().then(() => seen.push("second read"));
  await Bun.sleep(0);
  expect(seen).toEqual([]);
  gate.leave();
  await Bun.sleep(0);
  expect([seen, gate.count]).toEqual([["work begins"], 0]);
  endWork();
  await Promise.all([working, reading]);
  expect([seen, gate.count]).toEqual([["work begins", "work ends", "second read"], 1]);
});

test("reads go on after work that fails", async () => {
  const gate = new ReadGate();
  const failing = gate.alone(() => Promise.reject(new Error("failed")));
  const reading = gate.enter();
  expect(await failing.catch(({ message }: Error) => message)).toBe("failed");
  await reading;
  expect(gate.count).toBe(1);
});
