import { afterAll, expect, test } from "bun:test";
import { createServer } from "node:net";
import { caFile, type SmtpDouble, smtpServer, smtpSettings } from "../../../test/mail/smtp";
import { readConfig } from "../../config";
import type { Letter } from "../../domain/mail/message";
import { greetMailServer, type Mailing, type SmtpOutcome, sendMail } from "./smtp";

const servers: SmtpDouble[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));
async function started(options = {}): Promise<SmtpDouble> {
  const server = await smtpServer(options);
  servers.push(server);
  return server;
}

const wayTo = (server: SmtpDouble, more: Record<string, string> = {}) => {
  const { way } = readConfig(smtpSettings(server, more)).mail;
  if (way === null) throw new Error("Mail is off.");
  return way;
};
const letter: Letter = { subject: "Grüße", text: "Hello 👋\n.\n", html: "<p>Hello 👋</p>" };
const mailing: Mailing = {
  ...{ id: "msg_1", kind: "report", to: "ann@example.org", atMs: Date.UTC(2026, 0, 14, 12) },
  letter: { ...letter, unsubscribeUrl: "http://localhost:3000/unsubscribe/unt_1" },
};
const said = (outcome: SmtpOutcome) =>
  outcome.isTaken ? outcome.response : [outcome.stage, outcome.response, outcome.isFinal];

test("a message is text and HTML, with the headers that programs look at, over an encrypted connection", async () => {
  const server = await started();
  const login = { SMTP_USER: "stats", SMTP_PASSWORD: "right" };
  expect(said(await sendMail(wayTo(server, login), mailing))).toBe("250 Message queued");
  const [{ raw, ...envelope } = { raw: "" }] = server.taken;
  expect(envelope).toEqual({
    ...{ from: "stats@example.com", to: ["ann@example.org"], user: "stats", isSecure: true },
  });
  const [head = "", ...parts] = raw.split("\r\n\r\n");
  const headers = head
    .replace(/\r\n[ \t]+/g, " ")
    .split("\r\n")
    .sort();
  expect(headers.map((one) => one.replace(/boundary=.*/, "boundary"))).toEqual([
    "Auto-Submitted: auto-generated",
    "Content-Type: multipart/alternative; boundary",
    "Date: Wed, 14 Jan 2026 12:00:00 +0000",
    "From: Sightline <stats@example.com>",
    "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
    "List-Unsubscribe: <http://localhost:3000/unsubscribe/unt_1>",
    "MIME-Version: 1.0",
    "Message-ID: <msg_1@example.com>",
    "Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=",
    "To: ann@example.org",
    "X-Sightline-Kind: report",
  ]);
  const types = parts.join("\n").match(/Content-Type: [^;]+/g);
  expect(types).toEqual(["Content-Type: text/plain", "Content-Type: text/html"]);
});

test("a message that nobody subscribed to offers no way to unsubscribe", async () => {
  const server = await started();
  await sendMail(wayTo(server), { ...mailing, kind: "security", letter });
  expect(server.taken[0]?.raw).not.toContain("List-Unsubscribe");
});

test("TLS from the first byte, and none at all on this machine", async () => {
  const secure = await started({ secure: true });
  expect(said(await sendMail(wayTo(secure, { SMTP_TLS: "tls" }), mailing))).toBe(
    "250 Message queued",
  );
  const plain = await started({ disabledCommands: ["STARTTLS"] });
  expect(said(await sendMail(wayTo(plain, { SMTP_TLS: "none" }), mailing))).toBe(
    "250 Message queued",
  );
  expect(plain.taken[0]?.isSecure).toBe(false);
});

test("each stage has its name, and only a refusal for good is final", async () => {
  const server = await started();
  const way = wayTo(server);
  const refused = async (refuse: SmtpDouble["refuse"]) => {
    server.refuse = refuse;
    return said(await sendMail(way, mailing));
  };
  expect(await refused({ from: () => [451, "try\r\nlater"] })).toEqual([
    ...["from", "451 try  later", false],
  ]);
  expect(await refused({ to: () => [550, "5.1.1 no such user"] })).toEqual([
    ...["to", "550 5.1.1 no such user", true],
  ]);
  expect(await refused({ data: () => [554, "<b>see http://evil.example</b>"] })).toEqual([
    ...["data", "554 \\u{3C}b>see http:\\u{2F}/evil.example\\u{3C}/b>", true],
  ]);
  expect(await refused({ data: () => [452, "x".repeat(500)] })).toEqual([
    ...["data", `452 ${"x".repeat(196)}`, false],
  ]);
  const wrong = wayTo(server, { SMTP_USER: "stats", SMTP_PASSWORD: "wrong" });
  expect(said(await sendMail(wrong, mailing))).toEqual(["auth", "535 5.7.8 Wrong password", true]);
  expect(server.taken).toEqual([]);
});

test("a server without STARTTLS, or with a certificate that nobody vouches for, gets nothing", async () => {
  const plain = await started({ disabledCommands: ["STARTTLS"] });
  expect(said(await sendMail(wayTo(plain), mailing))).toEqual([
    ...["tls", "500 Error: command not recognized", false],
  ]);
  const server = await started();
  const { SMTP_CA_FILE: _, ...settings } = smtpSettings(server);
  const { way } = readConfig(settings).mail;
  expect(way && said(await sendMail(way, mailing))).toEqual([
    ...["tls", "The connection could not be encrypted, or the certificate is not valid.", false],
  ]);
  expect([...plain.taken, ...server.taken]).toEqual([]);
});

test("a server that is not there, or hangs up, has answered nothing", async () => {
  const gone = await smtpServer();
  await gone.close();
  expect(said(await greetMailServer(wayTo(gone).smtp))).toEqual([
    ...["connect", "The connection failed.", false],
  ]);
  const rude = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  await new Promise((resolve) => rude.once("listening", resolve));
  const { port } = rude.address() as { port: number };
  const place = { ...wayTo(gone).smtp, port };
  expect(said(await greetMailServer(place))).toEqual([
    ...["connect", "The connection failed.", false],
  ]);
  rude.close();
});

test("a server that never answers is given up in time", async () => {
  const server = await started();
  server.refuse = { wait: () => new Promise(() => undefined) };
  expect(said(await sendMail(wayTo(server), mailing, 300))).toEqual([
    ...["data", "It did not answer in time.", false],
  ]);
});

test("settings are refused with a sentence that names the variable", () => {
  const refusal = (more: Record<string, string>): string => {
    try {
      readConfig({ SMTP_HOST: "smtp.example.com", ...more });
      return "accepted";
    } catch (error) {
      return error instanceof Error ? (error.message.split(" ")[0] ?? "") : "";
    }
  };
  for (const from of ["a@b.example", "Stats <a@b.example>", '"Stats, of us" <a@b.example>'])
    expect(refusal({ MAIL_FROM: from })).toBe("accepted");
  for (const from of ["a", "a@b@c", "a@b.example, c@d.example", "x\r\nTo: y <a@b.example>"])
    expect([from, refusal({ MAIL_FROM: from })]).toEqual([from, "MAIL_FROM"]);
  expect(refusal({ ALERT_EMAIL: "Ops <ops@example.com>" })).toBe("ALERT_EMAIL");
  expect(refusal({ SMTP_USER: "stats" })).toBe("SMTP_USER");
  expect(refusal({ SMTP_PASSWORD: "secret" })).toBe("SMTP_PASSWORD");
  expect(refusal({ SMTP_CA_FILE: "/no/such/file" })).toBe("SMTP_CA_FILE:");
  expect(refusal({ SMTP_CA_FILE: caFile })).toBe("accepted");
  expect(refusal({ SMTP_TLS: "none" })).toStartWith("SMTP_TLS=none");
  expect(refusal({ SMTP_TLS: "none", SMTP_INSECURE: "true" })).toBe("accepted");
  expect(refusal({ SMTP_TLS: "none", SMTP_HOST: "127.0.0.1" })).toBe("accepted");
  expect(refusal({ SMTP_HOST: "smtp.example.com/x" })).toBe("SMTP_HOST");
  expect(refusal({ SMTP_PORT: "65536" })).toBe("SMTP_PORT");
  expect(refusal({ MAIL_PER_HOUR: "0" })).toBe("MAIL_PER_HOUR");
  const { missing, way, isWanted } = readConfig({ SMTP_HOST: "smtp.example.com" }).mail;
  expect({ missing, way, isWanted }).toEqual({
    ...{ missing: ["MAIL_FROM", "PUBLIC_URL"], way: null, isWanted: true },
  });
  expect(readConfig({}).mail.isWanted).toBe(false);
});
