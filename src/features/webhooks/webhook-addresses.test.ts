import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Json } from "../../../test/support/app/app";
import {
  call,
  cause,
  closeWebhooks,
  deliveries,
  home,
  make,
  openWebhooks,
  receiver,
  startAfresh,
  taken,
} from "../../../test/support/app/webhooks";

beforeAll(openWebhooks);
beforeEach(startAfresh);
afterAll(closeWebhooks);

describe("a receiver that means harm", () => {
  test("gets no second request by a redirect, and no more than 4 KiB of its answer is read", async () => {
    receiver.answer = () =>
      new Response(
        new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024)) }),
      );
    const { id } = await make();
    await cause();
    expect((await deliveries(id))[0]).toMatchObject({ state: "delivered" });
  });

  test.each(["10.0.0.5", "127.0.0.1", "169.254.169.254", "::1", "fd00::1"])(
    "is refused when its name leads to %s, when it is made and at each try",
    async (address) => {
      receiver.resolve = async () => [home, address];
      const refused = await call("POST", "/webhooks", {
        ...{ name: "x", kind: "signed", url: "https://hooks.example.com/" },
      });
      expect([refused.status, ((await refused.json()) as Json).error]).toEqual([400, "UNSAFE_URL"]);
      receiver.resolve = async () => [home];
      const { id } = await make();
      receiver.resolve = async () => [address];
      await cause();
      expect(taken).toHaveLength(0);
      expect((await deliveries(id))[0]).toMatchObject({
        state: "failed",
        error: "unsafe",
        tries: 1,
      });
    },
  );

  test("that has no name now is tried again", async () => {
    receiver.resolve = () => Promise.reject(new Error("no such name"));
    const { id } = await make();
    await cause();
    expect((await deliveries(id))[0]).toMatchObject({ state: "queued", error: "dns" });
  });
});

describe("an address", () => {
  test.each([
    "http://hooks.example.com/",
    "https://hooks.example.com:8443/",
    "https://user:secret@hooks.example.com/",
    "https://127.0.0.1/",
    "https://[::1]/",
    "https://localhost/",
    "http://127.0.0.1:8081/",
    "ftp://hooks.example.com/",
    "javascript:alert(1)",
    "not an address",
  ])("such as %s is refused", async (url) => {
    const { status, error } = await make({ url });
    expect([status, error]).toEqual([400, "UNSAFE_URL"]);
  });

  test.each(["http://127.0.0.1:8080/in", "http://hooks.intra/", "https://hooks.intra:9000/"])(
    "that the operator allows, such as %s, may be private",
    async (url) => {
      receiver.resolve = async () => ["127.0.0.1"];
      const { id, status } = await make({ url });
      expect(status).toBe(201);
      const test = await call("POST", `/webhooks/${id}/test`);
      const { delivery } = (await test.json()) as { delivery: Json };
      expect(delivery).toMatchObject({ type: "webhook.test", state: "delivered", status: 200 });
    },
  );
});

test("20 webhooks an account, and those of others do not exist", async () => {
  for (let n = 0; n < 20; n++) expect((await make()).status).toBe(201);
  expect(await make()).toMatchObject({ status: 400, error: "MISSING_FIELDS" });
  expect((await call("PATCH", "/webhooks/whk_0000000000000000", {})).status).toBe(404);
});
