import { clock, dayMs, hourMs, minuteMs } from "../../../src/lib/clock";
import { Alerts } from "../../../src/services/alerts/alerts";
import { membersWhoAdminister } from "../../../src/store/control/people";
import { type SmtpDouble, smtpServer, smtpSettings } from "../../mail/smtp";
import { type Json, noonMs, type TestApp, type TestProject, testApp } from "./app";

export let smtp: SmtpDouble;
export let app: TestApp;
export let shop: TestProject;
export let alerts: Alerts;
/** The id of the owner. */
export let me = "";
export let nowMs = noonMs;
let projects = 0;

export async function openAlerts(): Promise<void> {
  smtp = await smtpServer();
  app = await testApp(smtpSettings(smtp));
  const [accountId = ""] = app.deps.control.deliveries.accountsOfAdmins();
  me = membersWhoAdminister(app.deps.control, accountId)[0]?.id ?? "";
  restart();
  await app.deps.mail.sendDue();
  smtp.taken.length = 0;
}
export async function closeAlerts(): Promise<void> {
  await app.close();
  await smtp.close();
}

/** Makes the service as after a start of the server, whose own clock runs with that of the test, or as it is said. */
export function restart(runningMs: () => number = () => clock.nowMs()): void {
  alerts = new Alerts({ ...app.deps, runningMs });
}
export function goTo(ms: number): void {
  nowMs = ms;
  app.setTime(nowMs);
}
/** Makes a project of its own at a whole hour, without the alerts of the test before. */
export async function fresh(): Promise<void> {
  for (const { alert } of app.deps.control.alerts.all()) app.deps.control.alerts.drop(alert.id);
  goTo(Math.ceil(nowMs / dayMs) * dayMs + 12 * hourMs);
  shop = await app.makeProject(`shop${++projects}`);
}
export const call = (method: string, path: string, body?: unknown): Promise<Response> =>
  app.send(method, path, { key: app.key, body });
export async function make(more: Json): Promise<Json & { id: string }> {
  const body = { project: shop.name, name: "Mine", to: [me], ...more };
  return (await (await call("POST", "/alerts", body)).json()) as Json & { id: string };
}
export async function state(id: string): Promise<Json> {
  const listed = (await (await call("GET", `/alerts?project=${shop.name}`)).json()) as Json;
  return (listed.alerts as readonly Json[]).find((one) => one.id === id) ?? {};
}
export const evaluate = async (id: string, at?: string): Promise<Json> =>
  (await (
    await call("POST", `/alerts/${id}/evaluate`, at === undefined ? {} : { at })
  ).json()) as Json;
/** Time goes by in steps in which the server looks at its alerts. */
export async function passes(ms: number, stepMs = minuteMs): Promise<void> {
  for (const end = nowMs + ms; nowMs < end; ) {
    goTo(Math.min(end, nowMs + stepMs));
    await alerts.run(nowMs);
  }
}
/** Takes the subjects of the mails so far. */
export async function mailed(): Promise<readonly string[]> {
  await app.deps.mail.sendDue();
  const subjects = smtp.taken.map(({ raw }) => /^Subject: (.*)$/m.exec(raw)?.[1]?.trim() ?? "");
  smtp.taken.length = 0;
  return subjects;
}
export const send = (count: number, timestamp: number, event = "visit"): Promise<void> =>
  app.track(
    shop,
    ...Array.from({ length: count }, (_, at) => ({
      ...{ event, user_id: `u${at}`, session_id: `s${at}`, timestamp: timestamp - at },
    })),
  );
