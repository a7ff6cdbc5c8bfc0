import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { type TestApp, testApp } from "../../../test/support/app/app";
import { Sockets } from "../../../test/support/app/live-socket";
import { liveConnectionsMax, socketsUnknownMax, socketsUnknownPerNetworkMax } from "./connections";

let app: TestApp;
beforeAll(async () => {
  // Each address of a test comes through a proxy on this machine.
  app = await testApp({ TRUSTED_PROXIES: "127.0.0.0/8,::1/128" });
  await app.makeProject("first");
});
afterAll(() => app.close());
const sockets = new Sockets(() => app);
afterEach(() => sockets.close());

const from = (address: string) => ({ "x-forwarded-for": address });
const silent = (address: string) => sockets.open("", from(address));
const refusal = (address: string) => sockets.refusal("", from(address));
const unavailable = [503, "UNAVAILABLE"];

test("silent sockets of one network keep out nobody else", async () => {
  // A network has this many addresses.
  const addresses = Array.from({ length: socketsUnknownPerNetworkMax }, (_, n) => `192.0.2.${n}`);
  await Promise.all(addresses.map(silent));
  expect(await refusal("192.0.2.250")).toEqual(unavailable);
  const other = await silent("198.51.100.7");
  other.send({ type: "auth", token: app.key });
  expect(await other.next()).toMatchObject({ type: "connected" });

  const network = Array.from(
    { length: socketsUnknownPerNetworkMax },
    (_, n) => `2001:db8::${n.toString(16)}`,
  );
  await Promise.all(network.map(silent));
  expect(await refusal("2001:db8:0:0:ffff::1")).toEqual(unavailable);
  const neighbour = await silent("2001:db8:0:1::1");
  neighbour.send({ type: "auth", token: app.key });
  expect(await neighbour.next()).toMatchObject({ type: "connected" });
});

test("of all networks together they are bounded too", async () => {
  for (let network = 0; network * socketsUnknownPerNetworkMax < socketsUnknownMax; network++) {
    const address = `10.0.${network}.1`;
    await Promise.all(Array.from({ length: socketsUnknownPerNetworkMax }, () => silent(address)));
  }
  expect(await refusal("198.51.100.7")).toEqual(unavailable);
});

test("places are given back when the read cannot be counted", async () => {
  const { usage } = app.deps;
  const { countRead } = usage;
  usage.countRead = () => {
    throw new Error("control.db cannot be read");
  };
  try {
    for (let asked = 0; asked <= liveConnectionsMax; asked++) {
      expect((await app.send("GET", "/stream", { key: app.key })).status).toBe(500);
      expect(await sockets.refusal("", { "x-api-key": app.key })).toEqual([500, "INTERNAL_ERROR"]);
      const late = await silent("192.0.2.1");
      late.send({ type: "auth", token: app.key });
      expect(await late.next()).toMatchObject({ type: "error", error: "INTERNAL_ERROR" });
      late.close();
    }
  } finally {
    usage.countRead = countRead;
  }
  const open = await sockets.open("");
  expect(await open.next()).toMatchObject({ type: "connected" });
});
