import { clock, dayMs } from "../../lib/clock";
import type { Control } from "../../store/control/control";
import { settingQueries } from "../../store/control/settings";
import type { Webhooks } from "./webhooks";

const toldAt = "mail_failing_told_at";

/**
 * Tells the webhooks of administrators that the mail server takes nothing: once a day, in the commit that notes a
 * failed message.
 */
export function tellOfMail(control: Control, webhooks: Webhooks): void {
  const nowMs = clock.nowMs();
  const settings = settingQueries(control.db);
  const sinceMs = nowMs - Number(settings.read(toldAt) ?? 0);
  if (sinceMs >= 0 && sinceMs < dayMs) return;
  settings.put(toldAt, String(nowMs));
  const { queued, failed24h } = control.mail.counts(nowMs);
  const data = { condition: "mail.failing", queued, failed_24h: failed24h };
  const lines = [`Mail fails: ${failed24h} messages in 24 hours were not delivered.`];
  webhooks.queueOfServer("mail.failing", data, { lines, path: "/app" });
}
