import { expect } from "bun:test";
import { sql } from "drizzle-orm";
import { ApiError } from "../../../src/domain/errors";
import { ClientDocuments } from "../../../src/features/oauth/client-documents";
import { Admission } from "../../../src/features/website-scans/admission";
import { Rates } from "../../../src/http/edge/rates";
import type { OperationName } from "../../../src/http/operation/facts";
import { IngestDiagnostics } from "../../../src/services/ingest-diagnostics";
import { LoginFailures, loginGuessersMax } from "../../../src/services/login-failures";
import { account } from "../../../src/store/control/tables";
import { noonMs, type TestApp } from "./app";
import { documentOf, documentSite } from "./oauth";

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;

interface Kept {
  readonly what: string;
  readonly by: readonly OperationName[];
  readonly bytesMax: number;
  /** Floods it, and returns the bytes that are kept then. */
  flood(app: TestApp, from: string): Promise<number> | number;
}

/** Returns how many times the work was done before it was refused. */
function repeatUntilRefused(times: number, work: (time: number) => void): number {
  for (let time = 0; time < times; time++) {
    try {
      work(time);
    } catch (error) {
      if (error instanceof ApiError) return time;
      throw error;
    }
  }
  return times;
}

const textBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** What else is kept of strangers: in memory, and accounts where everybody may sign up. */
export const kept: readonly Kept[] = [
  {
    what: "requests of addresses in a minute",
    by: [
      "POST /auth/login",
      "POST /auth/signup",
      "POST /auth/setup",
      "POST /oauth/register",
      "POST /auth/invitation",
      "POST /auth/invitation/accept",
    ],
    bytesMax: 20 * megabyte,
    flood: () => {
      const rates = new Rates();
      const address = (n: number) => `${n >> 16}.${(n >> 8) & 255}.${n & 255}.1`;
      // Beyond the bound neighbours share a bucket, which is empty soon.
      repeatUntilRefused(150_000, (n) => rates.spendOfAddress("sign-in", address(n), 10));
      // A key is a hash of 44 characters with its name; as many bytes again hold it in the table.
      return rates.strangersCount * 2 * (44 + "sign-in:".length);
    },
  },
  {
    what: "failed log-ins",
    by: ["POST /auth/login", "POST /share/{token}"],
    bytesMax: 80 * megabyte,
    flood: () => {
      const failures = new LoginFailures();
      const key = (n: number) => `${n}`.padStart(254, "x").padEnd(254 + 44, "h");
      for (let n = 0; n < loginGuessersMax + 1_000; n++) failures.begin(key(n));
      const timesBytes = 10 * 8;
      return failures.count * (key(0).length + timesBytes);
    },
  },
  {
    what: "scans of addresses in an hour",
    by: ["POST /website-scans"],
    bytesMax: 2 * megabyte,
    flood: () => {
      const admission = new Admission();
      const admitted = repeatUntilRefused(20_000, (n) =>
        admission.ofAddress(`${n}`.padStart(44))("failed"),
      );
      return admitted * (44 + 64);
    },
  },
  {
    what: "documents of clients",
    by: ["GET /oauth/authorize", "POST /oauth/token", "POST /oauth/revoke"],
    bytesMax: 500 * 11 * kilobyte,
    flood: async (app) => {
      const id = (n: number) => `https://agent.example.com/${n}.json`;
      const padding = "x".repeat(9 * kilobyte);
      const site = documentSite(
        Object.fromEntries(
          Array.from({ length: 510 }, (_, n) => [
            id(n),
            () => documentOf({ client_id: id(n), client_uri: padding }),
          ]),
        ),
      );
      const documents = new ClientDocuments({ config: app.deps.config, network: site.network });
      for (let n = 0; n < 510; n++) await documents.clientAt(id(n));
      site.asked.length = 0;
      for (let n = 509; n >= 0; n--) await documents.clientAt(id(n));
      const known = 510 - site.asked.length;
      return known * 10 * kilobyte;
    },
  },
  {
    what: "what arrived for a project and was not stored",
    by: ["POST /track", "POST /track/batch", "POST /identify"],
    bytesMax: 20 * kilobyte,
    flood: () => {
      const diagnostics = new IngestDiagnostics();
      for (let n = 0; n < 1_000; n++) {
        const text = `${n}`.padStart(64, "x");
        diagnostics.noteAutomated("p", { category: "crawler", actor: text }, noonMs);
        diagnostics.noteRefusedOrigin("p", `https://${text}${text}`, noonMs);
        diagnostics.noteRefusedEvent("p", "MISSING_FIELDS", text, noonMs);
      }
      return textBytes(diagnostics.of("p", noonMs));
    },
  },
  {
    what: "an account, with its first browser session",
    by: ["POST /auth/signup", "POST /auth/setup"],
    bytesMax: 2 * kilobyte,
    flood: async (app, from) => {
      const email = `${"e".repeat(64)}@${`${"d".repeat(60)}.`.repeat(3)}example`.slice(0, 254);
      const body = { email, password: "😀".repeat(200) };
      const headers = { origin: app.deps.config.publicUrl };
      const made = await app.send("POST", "/auth/signup", { body, headers, from });
      expect(made.status).toBe(201);
      const row = app.deps.control.db.select().from(account).all().at(-1);
      const sessions = app.deps.control.db.all(sql`select * from cookie_session`).at(-1);
      return textBytes(row) + textBytes(sessions);
    },
  },
];
