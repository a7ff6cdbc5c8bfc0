import { dayMs } from "../../../src/lib/clock";
import { membersWhoAdminister } from "../../../src/store/control/people";
import { type SmtpDouble, smtpServer, smtpSettings } from "../../mail/smtp";
import { type Call, type Json, type TestApp, type TestProject, testApp } from "./app";

/** Monday, 12 January 2026, 07:59: a minute before reports go out. */
export const beforeMs = Date.UTC(2026, 0, 12, 7, 59);
/** The week that they are about. */
export const period = { from: "2026-01-05", to: "2026-01-11" };

export let smtp: SmtpDouble;
export let app: TestApp;
export let shop: TestProject;
/** The id of the owner. */
export let me = "";
let projects = 0;

export async function openReports(): Promise<void> {
  smtp = await smtpServer();
  app = await testApp(smtpSettings(smtp));
  const [accountId = ""] = app.deps.control.deliveries.accountsOfAdmins();
  me = membersWhoAdminister(app.deps.control, accountId)[0]?.id ?? "";
  await app.deps.mail.sendDue();
  smtp.taken.length = 0;
}
export async function closeReports(): Promise<void> {
  await app.close();
  await smtp.close();
}

export const call = (
  method: string,
  path: string,
  body?: unknown,
  who: Call = { key: app.key },
): Promise<Response> => app.send(method, path, { ...who, body });
export const json = async (answer: Promise<Response>): Promise<Json & { id: string }> =>
  (await (await answer).json()) as Json & { id: string };

/** Makes a project of its own on the Sunday before, without the reports of the test before. */
export async function fresh(timezone?: string): Promise<void> {
  for (const { report } of app.deps.control.reports.all()) app.deps.control.reports.drop(report.id);
  app.setTime(beforeMs - dayMs);
  shop = await app.makeProject(`shop${++projects}`);
  if (timezone !== undefined) await call("PATCH", `/projects/${shop.id}`, { timezone });
}
/** A weekly report to the owner, or what a request says. */
export const make = (more: Json = {}): Promise<Json & { id: string }> =>
  json(call("POST", "/reports", { project: shop.name, every: "week", to: [me], ...more }));
export async function state(id: string): Promise<Json> {
  const { reports } = await json(call("GET", `/reports?project=${shop.name}`));
  return (reports as readonly Json[]).find((one) => one.id === id) ?? {};
}
export async function runAt(nowMs: number): Promise<void> {
  app.setTime(nowMs);
  await app.deps.reports.run(nowMs);
}
/** Takes the subjects of the mails so far. */
export async function mailed(): Promise<readonly string[]> {
  await app.deps.mail.sendDue();
  const subjects = smtp.taken.map(({ raw }) => /^Subject: (.*)$/m.exec(raw)?.[1]?.trim() ?? "");
  smtp.taken.length = 0;
  return subjects;
}
export const subject = (): string => `${shop.name}: ${period.from} to ${period.to}`;
export const visit = (user: string, timestamp: number): Json => ({
  ...{ event: "page_view", user_id: user, session_id: user, timestamp },
});
