import { afterAll, expect, test } from "bun:test";
import { smtpServer, smtpSettings } from "../mail/smtp";
import { ownOrigin, setUpAccount } from "../support/server/account";
import type { Reply } from "../support/server/connection";
import {
  ask,
  removeFolder,
  runCommand,
  type Server,
  startServer,
  temporaryFolder,
} from "../support/server/server";
import { eventually } from "../support/suite/eventually";

const dataDir = temporaryFolder();
const smtp = await smtpServer();
const env = smtpSettings(smtp, { PUBLIC_URL: ownOrigin });
afterAll(async () => {
  await smtp.close();
  removeFolder(dataDir);
});

const idsOf = (): readonly string[] =>
  smtp.taken.map(({ raw }) => /^Message-ID: <(msg_\w+)@/m.exec(raw)?.[1] ?? "none");

/** The steps of a delivery before the mail server has answered the message. */
const steps = ["from", "to", "data"] as const;

test("kill -9 at each step before the mail server answers: the message arrives once, after a start", async () => {
  // Set-up is open on this machine while PUBLIC_URL is unset; mail is off then.
  let server = await startServer({ dataDir });
  let key = await setUpAccount(server.url);
  await server.stop();
  server = await startServer({ dataDir, env });
  for (const [round, step] of steps.entries()) {
    const { promise: made, resolve: answer } = Promise.withResolvers<Reply>();
    const killed = killAt(step, server, made);
    answer(ask(server.url, "POST", "/account/revoke-key", { "X-API-Key": key }));
    key = JSON.parse((await made).body).api_key;
    await killed;
    expect(smtp.taken).toHaveLength(round);
    smtp.refuse = {};
    server = await startServer({ dataDir, env });
    await eventually(() => expect(smtp.taken).toHaveLength(round + 1));
  }
  expect(await server.stop()).toBe(0);
  server = await startServer({ dataDir, env });
  expect(await server.stop()).toBe(0);
  expect(new Set(idsOf()).size).toBe(steps.length);
  expect(idsOf()).toHaveLength(steps.length);

  const command = ["mail-test", "--to", "ann@example.org", "--json"];
  const { exitCode, output } = await runCommand(command, { dataDir, env });
  expect([exitCode, JSON.parse(output)]).toEqual([0, { ok: true, response: "250 Message queued" }]);
}, 120_000);

/**
 * Kills the server when its message reaches this step, which the mail server then refuses for the moment. What the
 * server answers to the request that caused the message is waited for: the message may be faster.
 */
function killAt(
  step: (typeof steps)[number],
  server: Server,
  answered: Promise<Reply>,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const refuse = async (): Promise<readonly [number, string]> => {
    await answered;
    resolve(server.kill());
    return [451, "gone"];
  };
  smtp.refuse = { [step]: refuse };
  return promise;
}
