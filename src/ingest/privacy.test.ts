import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { testApp, visitorAgent } from "../../test/support/app/app";

const address = "ada.lovelace@example.org";
const senderAddress = "198.51.100.77";

test("addresses under email keys, and the sender's own, are nowhere once a request is answered", async () => {
  const app = await testApp();
  const { token } = await app.makeProject("site");
  const from = senderAddress;
  const hidden = {
    email: address,
    userEmail: address,
    "E-MAIL_hash": "not one of these",
    contact: { EMAIL: address, name: "Ada" },
    list: [{ email_1: address }, { note: "kept" }],
    properties: { email: address, color: "red" },
    emails: [address, address],
    email_verified: true,
  };
  const events = [{ event: "signup", user_id: "u", properties: hidden }];
  await app.send("POST", "/track/batch", { body: { token, events }, from });
  const traits = { ...hidden, plan: "pro" };
  const link = { token, previous_id: "anon", user_id: "u", traits };
  await app.send("POST", "/identify", { body: link, from });
  // Refused ones leave no trace either.
  const broken = { token, event: "", properties: hidden };
  await app.send("POST", "/track", { body: broken, from });
  await app.send("POST", "/track", { body: `${JSON.stringify(broken)}!`, from });
  await app.send("POST", "/track", {
    body: { ...broken, event: "e" },
    from,
    headers: { "user-agent": "x" },
  });

  const { events: rows } = await app.get("/events?project=site");
  expect((rows as { properties: unknown }[]).map(({ properties }) => properties)).toEqual([
    {
      "E-MAIL_hash": "not one of these",
      contact: { name: "Ada" },
      list: [{}, { note: "kept" }],
      properties: { color: "red" },
      emails: [],
      email_verified: true,
    },
  ]);
  const database = new Database(join(app.dataDir, "events.db"), { readonly: true });
  const profiles = database.query("select traits from profile").values().flat();
  database.close();
  expect(profiles.map((text) => JSON.parse(String(text)))).toEqual([
    {
      "E-MAIL_hash": "not one of these",
      contact: { name: "Ada" },
      list: [{}, { note: "kept" }],
      properties: { color: "red" },
      plan: "pro",
    },
  ]);

  const files = readdirSync(app.dataDir).map((name) => readFileSync(join(app.dataDir, name)));
  expect(files.length).toBeGreaterThan(1);
  for (const secret of [address, senderAddress]) {
    expect(files.some((bytes) => bytes.includes(secret))).toBe(false);
  }
  for (const secret of [address, senderAddress, token, visitorAgent, "signup"]) {
    expect(app.logged.some((line) => line.includes(secret))).toBe(false);
  }
  await app.close();
});
