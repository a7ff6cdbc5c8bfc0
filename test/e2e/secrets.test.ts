import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { secretVariables } from "../../src/config-secrets";
import { login } from "../support/server/account";
import {
  ask,
  freePort,
  removeFolder,
  runCommand,
  startServer,
  temporaryFolder,
} from "../support/server/server";
import { formsOf, tracesIn } from "../support/server/traces";
import { eventually } from "../support/suite/eventually";

const folder = temporaryFolder();
const dataDir = join(folder, "data");
afterAll(() => removeFolder(folder));

/** A text of letters and digits that occurs nowhere else, for each secret that a server may have. */
const markers = new Map(
  secretVariables.map((name, at) => [name, `marker${at}of${"0123456789abcdef".repeat(2)}`]),
);
const of = (name: (typeof secretVariables)[number]): string => markers.get(name) ?? "";
const secrets = Object.fromEntries(markers);

/** Nobody listens there: mail, backups, single sign-on and ClickHouse fail, and the server says so. */
const closed = `127.0.0.1:${freePort()}`;
const [closedHost = "", closedPort = ""] = closed.split(":");
const others = {
  PUBLIC_URL: "http://localhost",
  ADMIN_EMAIL: login.email,
  STRIPE_PRICE_ID: "price_1",
  STRIPE_API_BASE: `http://${closed}`,
  ...{ SMTP_HOST: closedHost, SMTP_PORT: closedPort, SMTP_TLS: "none", SMTP_USER: "stats" },
  MAIL_FROM: "Sightline <stats@example.com>",
  ...{ BACKUP_URL: "s3://bucket/prefix", BACKUP_S3_ENDPOINT: `http://${closed}` },
  ...{ BACKUP_S3_ACCESS_KEY_ID: "stats", BACKUP_EVERY_S: "5" },
  ...{ OIDC_ISSUER: `http://${closed}`, OIDC_CLIENT_ID: "stats" },
};
const { CLICKHOUSE_PASSWORD: _, SETUP_TOKEN, ...ofServer } = secrets;

/** All that a program printed or answered. */
const texts: [where: string, text: string][] = [];
function expectNoSecret(): void {
  for (const [name, marker] of markers) {
    const forms = formsOf(marker);
    const found = texts.flatMap(([where, text]) => tracesIn(text, forms, where));
    expect([name, found]).toEqual([name, []]);
  }
}

test("a server whose mail, backups and payments fail tells no secret, in the log, errors or metrics", async () => {
  const server = await startServer({ dataDir, env: { ...others, ...ofServer } });
  const say = (where: string, { status, body }: { status: number; body: string }): void =>
    void texts.push([where, `${status} ${body}`]);
  const credentials = { email: login.email, password: of("ADMIN_PASSWORD") };
  const own = { Origin: "http://localhost" };
  const signedIn = await ask(server.url, "POST", "/auth/login", own, credentials);
  expect(signedIn.status).toBe(200);
  say("login", signedIn);
  for (const marker of markers.values()) {
    for (const headers of [
      {},
      { Authorization: `Bearer ${marker}` },
      { "X-API-Key": marker },
      { Cookie: `sl_session=${marker}` },
    ]) {
      say("an error", await ask(server.url, "GET", "/account", headers));
      say("an error", await ask(server.url, "POST", "/auth/login", own, { password: marker }));
      const setUp = { ...login, setup_token: marker };
      say("an error", await ask(server.url, "POST", "/auth/setup", own, setUp));
      say("an error", await ask(server.url, "POST", "/billing/webhook", headers, {}));
    }
  }
  say("forgot", await ask(server.url, "POST", "/auth/forgot", own, { email: login.email }));
  const bearer = { Authorization: `Bearer ${of("METRICS_TOKEN")}` };
  const metrics = await ask(server.url, "GET", "/metrics", bearer);
  expect(metrics.body).toContain("sightline_http_requests_total");
  say("metrics", metrics);
  await eventually(() => expect(server.output()).toContain("backup"));
  expect(await server.stop()).toBe(0);
  texts.push(["log", server.output()]);
  expect(texts.length).toBeGreaterThan(100);
  expectNoSecret();
  // The search finds what is there.
  expect(tracesIn(server.output(), formsOf("sightline"), "log").length).toBeGreaterThan(0);
});

test("doctor tells no secret", async () => {
  for (const env of [
    { ...others, ...ofServer },
    { ...others, ...secrets, CLICKHOUSE_URL: `http://${closed}` },
  ]) {
    const { output } = await runCommand(["doctor"], { dataDir, env });
    expect(output.length).toBeGreaterThan(100);
    texts.push(["doctor", output]);
  }
  expectNoSecret();
});

test("a server that refuses a secret does not repeat it", async () => {
  const short = "short1marker";
  for (const name of ["IDENTITY_SECRET", "BACKUP_KEY"] as const) {
    const env = { ...others, ...ofServer, [name]: short };
    const fresh = { dataDir: join(folder, name), env };
    const { exitCode, output } = await runCommand(["serve"], fresh);
    expect([name, exitCode, output.includes(name)]).toEqual([name, 1, true]);
    expect(tracesIn(output, formsOf(short), name)).toEqual([]);
  }
});

test("a set-up token of the environment is not printed", async () => {
  const fresh = join(folder, "fresh");
  const server = await startServer({ dataDir: fresh, env: { SETUP_TOKEN: of("SETUP_TOKEN") } });
  const own = { Origin: "http://localhost" };
  const wrong = { ...login, setup_token: `${SETUP_TOKEN}x` };
  const refused = await ask(server.url, "POST", "/auth/setup", own, wrong);
  texts.push(["set-up", refused.body]);
  await eventually(() =>
    expect(server.output()).toContain("/setup, with the token that SETUP_TOKEN has"),
  );
  const { output } = await runCommand(["doctor"], { dataDir: fresh, env: { SETUP_TOKEN } });
  texts.push(["doctor", output]);
  expect(await server.stop()).toBe(0);
  texts.push(["log", server.output()]);
  expectNoSecret();
});
