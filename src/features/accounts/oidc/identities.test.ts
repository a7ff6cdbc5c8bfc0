import { afterEach, expect, test } from "bun:test";
import { type TestApp, testApp } from "../../../../test/support/app/app";
import { owner, type Person, password, signUp } from "../../../../test/support/app/person";
import { elsewhere, turnOnFactor } from "../../../../test/support/app/second-factor";
import { freshSignInMs } from "../../../domain/limits";
import { clock } from "../../../lib/clock";
import { linkIdentity } from "../../../store/control/oidc-identities";
import { addSession } from "../../../store/control/people";

const issuer = "https://login.example.com";
const settings = {
  ...{ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: "sightline", OIDC_CLIENT_SECRET: "secret" },
  ...{ OIDC_NAME: "Corp", REGISTRATION: "open" },
};
let app: TestApp;
afterEach(() => app.close());

async function personId(who: Person): Promise<string> {
  const [, { user }] = await who.ask("GET", "/account");
  return (user as { id: string }).id;
}
async function link(who: Person, subject: string, from = issuer): Promise<void> {
  const person = { id: await personId(who), email: who.email };
  const { control } = app.deps;
  control.write(() => linkIdentity(control, person, { issuer: from, subject }));
}
const unlink = async (who: Person, subject: string, more: object = {}): Promise<string> => {
  const body = { issuer, subject, password, ...more };
  const [status, { error }] = await who.ask("POST", "/auth/identities/unlink", body);
  return error === undefined ? String(status) : `${status} ${error}`;
};

test("a person lists and unlinks their own identities, with the password and a fresh sign-in", async () => {
  app = await testApp(settings);
  const ann = await owner(app);
  const bob = await signUp(app, "bob@example.com");
  expect(await ann.ask("GET", "/auth/identities")).toEqual([200, { identities: [] }]);
  await link(ann, "ann");
  await link(ann, "old", "https://before.example.com");
  const linked_at = new Date(clock.nowMs()).toISOString();
  const ofNow = { issuer, subject: "ann", name: "Corp", linked_at };
  const ofBefore = { issuer: "https://before.example.com", subject: "old", linked_at };
  expect(await ann.ask("GET", "/auth/identities")).toEqual([
    200,
    { identities: [ofBefore, ofNow] },
  ]);
  expect(await bob.ask("GET", "/auth/identities")).toEqual([200, { identities: [] }]);
  expect(await unlink(bob, "ann")).toBe("404 NOT_FOUND");
  expect(await unlink(ann, "ann", { password: "not this one" })).toBe("401 INVALID_CREDENTIALS");
  app.setTime(clock.nowMs() + freshSignInMs);
  expect(await unlink(ann, "ann")).toBe("403 CONFIRM_REQUIRED");
  await ann.ask("POST", "/auth/confirm", { password });
  expect(await unlink(ann, "ann")).toBe("200");
  expect(await unlink(ann, "ann")).toBe("404 NOT_FOUND");
  expect(await ann.ask("GET", "/auth/identities")).toEqual([200, { identities: [ofBefore] }]);
  const [, { entries }] = await ann.ask("GET", "/audit?action=oidc_unlinked");
  expect(entries).toMatchObject([
    {
      actor: { kind: "cookie", email: ann.email },
      details: { issuer },
      target: { type: "person" },
    },
  ]);
});

test("unlinking logs out the browsers that single sign-on let in, and no other", async () => {
  app = await testApp(settings);
  const ann = await owner(app);
  await link(ann, "ann");
  const id = await personId(ann);
  const seen = { label: null, network: null };
  addSession(app.deps.control, id, "by sign-on", { ...seen, via: "oidc" });
  addSession(app.deps.control, id, "by password", seen);
  expect(await unlink(ann, "ann")).toBe("200");
  const statusOf = async (secret: string) =>
    (await app.send("GET", "/account", { headers: { cookie: `sl_session=${secret}` } })).status;
  expect([await statusOf("by sign-on"), await statusOf("by password")]).toEqual([401, 200]);
});

test("the last way in stays where passwords let nobody in", async () => {
  app = await testApp({ ...settings, OIDC_ONLY: "true" });
  const ann = await owner(app);
  await link(ann, "one");
  await link(ann, "old", "https://before.example.com");
  expect(await unlink(ann, "one")).toBe("403 PASSWORD_LOGIN_OFF");
  await link(ann, "two");
  expect(await unlink(ann, "one")).toBe("200");
  expect(await unlink(ann, "two")).toBe("403 PASSWORD_LOGIN_OFF");
  // An administrator with a second factor gets in by the password.
  await turnOnFactor(ann);
  expect(await unlink(ann, "two")).toBe("200");
  const body = { email: ann.email, password };
  const entered = await app.send("POST", "/auth/login", { body, from: elsewhere() });
  expect(await entered.json()).toMatchObject({ error: "SECOND_FACTOR_REQUIRED" });
});
