import { Database } from "bun:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type SmtpDouble, smtpServer, smtpSettings } from "../../../test/mail/smtp";
import { type Json, noonMs, type TestApp, testApp } from "../../../test/support/app/app";
import { readConfig } from "../../config";
import type { ServerCondition } from "../../domain/server-condition";
import { dayMs, hourMs, minuteMs } from "../../lib/clock";
import { Conditions } from "../../services/conditions/conditions";
import { ServerLooks } from "../../services/conditions/server-looks";
import { Mail } from "../../services/mail/mail";
import type { BackupStatus } from "../../store/backups/messages";
import { conditionsIn } from "../../store/control/server-conditions";

let smtp: SmtpDouble;
let app: TestApp;
beforeAll(async () => {
  smtp = await smtpServer();
});
afterAll(() => smtp.close());
beforeEach(async () => {
  smtp.refuse = {};
  app = await testApp(smtpSettings(smtp));
  addWebhook(app, String((await app.get("/account")).id));
  await app.deps.mail.sendDue();
  smtp.taken.length = 0;
});
afterEach(() => app.close());

function addWebhook({ deps }: TestApp, accountId: string): void {
  const url = "https://hooks.example.com/in";
  deps.control.webhooks.add({
    accountId,
    projectId: null,
    name: "all",
    kind: "signed",
    url,
    events: null,
  });
}

const disk = (severity: 1 | 2 | 3): ServerCondition => ({
  ...{ severity, title: `the disk is at level ${severity}`, sentence: "Make room." },
});
const mails = async (): Promise<readonly string[]> => {
  await app.deps.mail.sendDue();
  return smtp.taken.map(({ raw }) => /^Subject: (.*)$/m.exec(raw)?.[1]?.trim() ?? "");
};
/** The messages that webhooks get, oldest first. */
const messages = (): readonly { readonly type: string; readonly data: Json }[] => {
  const control = new Database(join(app.dataDir, "control.db"), { readonly: true });
  const rows = control.query("select message from webhook_delivery order by rowid").all();
  control.close();
  return (rows as { message: string }[]).map(({ message }) => JSON.parse(message));
};
const types = () => messages().map(({ type }) => type);
const shown = async (): Promise<readonly Json[]> => {
  const answer = await app.send("GET", "/admin/conditions", { headers: { cookie: app.cookie } });
  return ((await answer.json()) as { conditions: readonly Json[] }).conditions;
};
const gauge = async (kind: string): Promise<string | undefined> => {
  const text = await (await app.send("GET", "/metrics")).text();
  return new RegExp(`^sightline_condition\\{condition="${kind}"\\} (\\d)$`, "m").exec(text)?.[1];
};

describe("a condition of the server", () => {
  test("is told once by mail and webhook, and shown while it holds", async () => {
    const { conditions } = app.deps;
    conditions.report("disk", null);
    expect([await mails(), types(), await shown()]).toEqual([[], [], []]);
    conditions.report("disk", disk(1), { free_bytes: 5 });
    conditions.report("disk", disk(1), { free_bytes: 4 });
    expect(await mails()).toEqual(["Sightline on localhost:3000: the disk is at level 1"]);
    expect(smtp.taken[0]?.to).toEqual(["owner@example.com"]);
    expect(messages()).toMatchObject([
      { type: "disk.low", data: { condition: "disk", free_bytes: 5 } },
    ]);
    expect(await shown()).toEqual([
      {
        ...{ kind: "disk", title: "the disk is at level 1", sentence: "Make room." },
        since: new Date(noonMs).toISOString(),
      },
    ]);
    expect([await gauge("disk"), await gauge("backup")]).toEqual(["1", "0"]);
    expect(conditionsIn(join(app.dataDir, "control.db"))).toEqual(["the disk is at level 1"]);
    conditions.report("disk", null);
    expect([await shown(), await gauge("disk")]).toEqual([[], "0"]);
  });

  test("is told again when it gets worse, and not when it gets better", async () => {
    for (const severity of [1, 2, 3, 2, 1, 3] as const) {
      app.deps.conditions.report("disk", disk(severity));
    }
    expect(await mails()).toEqual(
      [1, 2, 3].map((level) => `Sightline on localhost:3000: the disk is at level ${level}`),
    );
  });

  test("is the same one when it returns within a day, and a new one after that", async () => {
    const { conditions } = app.deps;
    conditions.report("disk", disk(2));
    conditions.report("disk", null);
    app.setTime(noonMs + dayMs - 1);
    conditions.report("disk", null);
    expect(types()).toEqual(["disk.low"]);
    conditions.report("disk", disk(2));
    expect(types()).toEqual(["disk.low"]);
    conditions.report("disk", null);
    app.setTime(noonMs + 2 * dayMs - 1);
    conditions.report("disk", null);
    expect(types()).toEqual(["disk.low", "disk.ok"]);
    conditions.report("disk", disk(2));
    expect(types()).toEqual(["disk.low", "disk.ok", "disk.low"]);
  });

  test("that stayed better for a day is told when it gets worse again", async () => {
    const { conditions } = app.deps;
    conditions.report("disk", disk(3));
    conditions.report("disk", disk(1));
    app.setTime(noonMs + dayMs);
    conditions.report("disk", disk(1));
    conditions.report("disk", disk(3));
    expect(types()).toEqual(["disk.low", "disk.low"]);
  });

  test("is remembered by a server that starts again", async () => {
    app.deps.conditions.report("storage", disk(1));
    const { control, mail, webhooks } = app.deps;
    const started = new Conditions({ control, mail, webhooks, alertEmail: null });
    started.report("storage", disk(1));
    expect([types(), (await mails()).length]).toEqual([["storage.failed"], 1]);
    expect(started.holding.map(({ kind }) => kind)).toEqual(["storage"]);
  });

  test("goes to ALERT_EMAIL alone where that is set", async () => {
    const { control, mail, webhooks } = app.deps;
    const conditions = new Conditions({ control, mail, webhooks, alertEmail: "ops@example.org" });
    conditions.report("archive", disk(1));
    await mails();
    expect(smtp.taken.map(({ to }) => to)).toEqual([["ops@example.org"]]);
    expect(types()).toEqual([]);
  });

  test("that is not stored is not told", async () => {
    const { control, conditions } = app.deps;
    expect(() =>
      control.write(() => {
        conditions.report("disk", disk(1));
        throw new Error("The cause was not stored.");
      }),
    ).toThrow();
    expect([await mails(), types(), await shown()]).toEqual([[], [], []]);
  });
});

/** The looks with another certificate or drill than the app has. */
const looksWith = (more: Partial<ConstructorParameters<typeof ServerLooks>[0]>) =>
  new ServerLooks({ ...app.deps, ...more });
const drill = (state: "ok" | "failed") => ({
  ended: {
    ...{ state, at: null, seconds: 3, error: "An object is missing.", restored_at: null },
    ...{ last_ok_at: null, failures: 0, skipped_since: null },
  },
});

describe("a look at the server", () => {
  test("finds nothing on a server that is well", async () => {
    await app.deps.serverLooks.run();
    expect(await shown()).toEqual([]);
  });

  test("finds a certificate that ends within 14 days, and says again that it has ended", async () => {
    let endsAtMs = noonMs + 14 * dayMs;
    const looks = looksWith({ server: { certificateEndsAtMs: () => endsAtMs } });
    await looks.run();
    expect(await shown()).toEqual([]);
    endsAtMs -= 1;
    await looks.run();
    endsAtMs = noonMs;
    await looks.run();
    expect(await mails()).toEqual([
      "Sightline on localhost:3000: the TLS certificate ends soon",
      "Sightline on localhost:3000: the TLS certificate has ended",
    ]);
    endsAtMs = noonMs + 90 * dayMs;
    await looks.run();
    expect([await shown(), types()]).toEqual([[], []]);
  });

  test("finds a drill that failed, and tells that a later one succeeded", async () => {
    await looksWith({ backupDrill: drill("failed") }).run();
    expect(await shown()).toMatchObject([{ kind: "backup_drill" }]);
    await looksWith({ backupDrill: drill("ok") }).run();
    expect(types()).toEqual(["backup.drill_failed", "backup.drill_ok"]);
    expect(messages()[1]?.data).toMatchObject({ condition: "backup_drill", seconds: 3 });
  });

  test("finds damage that a read of control.db came upon", async () => {
    const { damage } = app.deps.control;
    damage.note({ cause: "SQLITE_CORRUPT", project: null, day: null, column: null });
    await app.deps.serverLooks.run();
    expect(await shown()).toMatchObject([{ kind: "storage", title: "stored data is damaged" }]);
  });

  test("finds a backup that did not succeed for two intervals and ten minutes", async () => {
    const ok = { lastOkMs: noonMs, lastError: null, failures: 0 };
    let status = { ...ok, line: "", bytes: 0, oldestMs: null, points: [] } as BackupStatus;
    const config = readConfig({ BACKUP_URL: "file:///mnt/backups" }).backups;
    if (config === null) throw new Error("There is a place for backups.");
    const looks = looksWith({ backups: { config, status: async () => status } });
    const look = async (nowMs: number): Promise<readonly Json[]> => {
      app.setTime(nowMs);
      await looks.run();
      return await shown();
    };
    expect(await look(noonMs + 12 * minuteMs)).toEqual([]);
    const late = await look(noonMs + 12 * minuteMs + 1);
    expect(late).toMatchObject([{ kind: "backup", title: "the backup is late" }]);
    status = { ...status, lastOkMs: noonMs + 13 * minuteMs };
    expect(await look(noonMs + 13 * minuteMs)).toEqual([]);
    status = { ...status, lastError: "The target failed: no space." };
    const failing = await look(noonMs + hourMs);
    expect(failing).toMatchObject([{ title: "the backup fails" }]);
    expect(failing[0]?.sentence).toBe(
      "No backup has succeeded since 2026-01-14T12:13Z. The last error: The target failed: no space.",
    );
    expect(types()).toEqual(["backup.failed"]);
    expect(messages()[0]?.data).toMatchObject({ last_ok_at: "2026-01-14T12:00:00.000Z" });
    // A backup that has not succeeded since the start is late as well.
    status = { ...status, lastOkMs: null };
    expect(await look(noonMs + hourMs)).toHaveLength(1);
  });
});

test("a thread of backups that cannot start is a condition", async () => {
  await app.close();
  // The folder of tests has no id of an installation, which the thread needs.
  app = await testApp({ BACKUP_URL: "file:///mnt/backups" });
  await app.deps.serverLooks.run();
  expect(await shown()).toMatchObject([{ kind: "backup", title: "the backup does not run" }]);
});

test("a mail server that takes nothing is a condition after three tries, told to webhooks", async () => {
  await app.close();
  app = await testApp(smtpSettings({ ...smtp, port: 1 }));
  addWebhook(app, String((await app.get("/account")).id));
  const { control, mail, serverLooks } = app.deps;
  await mail.sendDue();
  const letter = { subject: "S", text: "T", html: "" };
  control.write(() => mail.queue("security", "ann@example.org", () => letter));
  const expected: [number, string[]][] = [
    ...([[noonMs, []]] as [number, string[]][]),
    [noonMs + minuteMs, []],
    [noonMs + 6 * minuteMs, ["mail.failing"]],
  ];
  for (const [at, told] of expected) {
    app.setTime(at);
    await mail.sendDue();
    await serverLooks.run();
    expect(types()).toEqual(told);
  }
  expect(messages()[0]?.data).toMatchObject({ condition: "mail" });
  await mail.close();
  const repaired = new Mail({
    ...{ control, settings: readConfig(smtpSettings(smtp)).mail, url: "http://localhost:3000" },
  });
  app.setTime(noonMs + hourMs);
  await repaired.sendDue();
  await repaired.close();
  await serverLooks.run();
  expect(await shown()).toEqual([]);
});
