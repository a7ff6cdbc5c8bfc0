import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { noonMs, type TestApp, testApp } from "../../../test/support/app/app";
import { paymentSecrets, signatureOf, signed } from "../../../test/support/app/payments";
import { bodyBytesMax } from "../../domain/limits";
import { billing, billingEvent } from "../../store/control/tables";

let app: TestApp;
beforeAll(async () => {
  app = await testApp(paymentSecrets);
});
beforeEach(() => {
  app.setTime(noonMs);
  app.deps.control.db.delete(billingEvent).run();
});
afterAll(() => app.close());

const noon = noonMs / 1_000;
const stored = (table: typeof billing | typeof billingEvent) =>
  app.deps.control.db.select().from(table).all();

const deliver = (text: string, header: string | null) =>
  app.send("POST", "/webhooks/stripe", {
    body: text,
    headers: header === null ? {} : { "stripe-signature": header },
  });

describe("a signature", () => {
  const event = { id: "evt_signed", type: "ping", created: noon, data: { object: {} } };
  const { text } = signed(event, noonMs);
  const good = signatureOf(text, noon);
  const verdict = async (body: string, header: string | null) => {
    const answer = await deliver(body, header);
    return answer.ok ? "received" : ((await answer.json()) as { error: string }).error;
  };

  test("holds when one v1 fits the very text that was sent", async () => {
    const bad = "0".repeat(64);
    expect(await verdict(text, `t=${noon},v1=${good}`)).toBe("received");
    expect(await verdict(text, `t=${noon},v1=${bad},v1=${good},v0=${bad}`)).toBe("received");
    expect(await verdict(text, `t=${noon},v1=${good},v1=${bad}`)).toBe("received");
  });

  test("does not hold when it is missing, tampered with, of another secret or in another place", async () => {
    const of = (body: string, secret?: string) => `t=${noon},v1=${signatureOf(body, noon, secret)}`;
    const wrong: readonly (readonly [string, string | null])[] = [
      [text, null],
      [text, ""],
      [text, "nonsense"],
      [text, `v1=${good}`],
      [text, `t=${noon}`],
      [text, `t=${noon},v0=${good}`],
      [text, `t=${noon},v1=`],
      [text, `t=${noon},v1=${good.slice(1)}`],
      [text, `t=${noon},v1=${good.toUpperCase()}`],
      [text, `t=${noon + 1},v1=${good}`],
      [text, `t=${noon}x,v1=${good}`],
      [text, `t=${noon - 9_999},t=${noon},v1=${good}`],
      [text, of(text, "whsec_of_others")],
      [text.replace("ping", "pong"), `t=${noon},v1=${good}`],
      [`${text} `, `t=${noon},v1=${good}`],
      ["", of("")],
    ];
    for (const [body, header] of wrong) {
      expect([body, header, await verdict(body, header)]).toEqual([
        body,
        header,
        "INVALID_SIGNATURE",
      ]);
    }
    expect(stored(billingEvent)).toEqual([]);
  });

  test("is taken up to 300 s from our time, either way", async () => {
    for (const seconds of [-300, 300]) {
      const { header } = signed(event, noonMs + seconds * 1_000);
      expect([seconds, await verdict(text, header)]).toEqual([seconds, "received"]);
    }
    for (const seconds of [-301, 301]) {
      const { header } = signed(event, noonMs + seconds * 1_000);
      expect([seconds, await verdict(text, header)]).toEqual([seconds, "INVALID_SIGNATURE"]);
    }
    const { header } = signed(event, noonMs + 300_000);
    app.setTime(noonMs - 1);
    expect(await verdict(text, header)).toBe("INVALID_SIGNATURE");
  });

  test("is over characters beyond ASCII as bytes", async () => {
    const { text: umlauts, header } = signed({ ...event, name: "Zoë – 東京" }, noonMs);
    expect(await verdict(umlauts, header)).toBe("received");
  });

  test("that holds makes anything welcome, also what says nothing", async () => {
    const bodies = ["no json", "[]", "null", "{}", '{"id":7,"type":[]}', '{"id":"evt_x","data":1}'];
    for (const body of [...bodies, JSON.stringify({ id: "x".repeat(256), type: "invoice.paid" })]) {
      const { text: own, header } = signed(body, noonMs);
      expect([body, await verdict(own, header)]).toEqual([body, "received"]);
    }
    expect(stored(billing)).toEqual([]);
  });

  test("is looked for in bodies of up to 1 MiB", async () => {
    const padded = (bytes: number) => signed(`{"id":"${"x".repeat(bytes - 9)}"}`, noonMs);
    const largest = padded(bodyBytesMax);
    expect(largest.text.length).toBe(bodyBytesMax);
    expect(await verdict(largest.text, largest.header)).toBe("received");
    const tooLarge = padded(bodyBytesMax + 1);
    expect(await verdict(tooLarge.text, tooLarge.header)).toBe("PAYLOAD_TOO_LARGE");
  });
});
