import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type TestApp, testApp } from "../../../test/support/app/app";
import { largeBodyCharsMin } from "../../domain/limits";
import { LargeBodies, largeBodiesWaitingMax } from "./large-bodies";

const unavailable = { code: "UNAVAILABLE", extras: { retry_after_seconds: 1 } };

describe("large bodies", () => {
  test("have one turn of the event loop each, and networks take turns", async () => {
    const bodies = new LargeBodies();
    const order: string[] = [];
    let turns = 0;
    const enter = async (network: string): Promise<void> => {
      await bodies.turn(network);
      order.push(`${network} ${turns}`);
    };
    const count = (): void => {
      turns += 1;
      if (turns < 10) setImmediate(count);
    };
    const all = [...["a", "a", "a", "b"].map(enter)];
    setImmediate(count);
    await Promise.all(all);
    expect(order).toEqual(["a 0", "b 1", "a 2", "a 3"]);
  });

  test("wait in bounded number; the network with most makes room", async () => {
    const bodies = new LargeBodies();
    const flood = Array.from({ length: largeBodiesWaitingMax }, () => bodies.turn("flood"));
    expect(bodies.turn("flood")).rejects.toMatchObject(unavailable);
    const other = bodies.turn("other");
    expect(flood.at(-1)).rejects.toMatchObject(unavailable);
    await other;
    await Promise.allSettled(flood);
  });
});

describe("small requests", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp();
  });
  afterAll(() => app.close());

  test("do not wait for large bodies, whoever sends them", async () => {
    const shop = await app.makeProject("shop");
    const keys = Array.from({ length: 50_000 }, (_, n) => `"k${n}" :1`).join(",");
    const hostile = `{"token":"aat_unknown","event":"e","properties":{${keys}}}`;
    expect(hostile.length).toBeGreaterThan(largeBodyCharsMin);
    const answered: string[] = [];
    const send = async (name: string, body: string): Promise<number> => {
      const { status } = await app.send("POST", "/track", { body });
      answered.push(name);
      return status;
    };
    const large = Array.from({ length: 20 }, () => send("large", hostile));
    const small = send("small", JSON.stringify({ token: shop.token, event: "e" }));
    expect(await small).toBe(202);
    expect(new Set(await Promise.all(large))).toEqual(new Set([401]));
    // Its commit takes a few turns of the loop.
    expect(answered.indexOf("small")).toBeLessThan(15);
  });
});
