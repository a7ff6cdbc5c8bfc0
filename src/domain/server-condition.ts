import { dayMs } from "../lib/clock";
import type { WebhookEvent } from "./webhook/events";

/** The states of a server for which its operator has to do something. */
export const conditionKinds = [
  ...(["backup", "backup_drill", "disk", "storage"] as const),
  ...(["certificate", "mail", "archive", "erasure"] as const),
] as const;
export type ConditionKind = (typeof conditionKinds)[number];

/** Certificates are renewed some weeks before their end: one that is this near to it was not. */
export const certificateDaysMin = 14;

/** A condition as one look at the server sees it. */
export interface ServerCondition {
  /** Grows as the condition gets worse. */
  readonly severity: 1 | 2 | 3;
  /** The end of the subject of a mail: "the backup fails". */
  readonly title: string;
  /** Whole sentences of ours that stay the same while nothing changes: what is wrong, and what to do. */
  readonly sentence: string;
}

/** The messages that the server sends about a kind of conditions. */
export interface ConditionRule {
  /** The webhook event of its begin; null where mail, pages and metrics alone tell of it. */
  readonly begins: WebhookEvent | null;
  /** The webhook event of its end. */
  readonly ends: WebhookEvent | null;
  /** A condition that returns within this time after it went is the same one, and is not told again. */
  readonly calmMs: number;
  /** Tells whether mail can tell of it. */
  readonly isMailed: boolean;
}

const toldByMail = { begins: null, ends: null, calmMs: 0, isMailed: true };

export const conditionRules: Readonly<Record<ConditionKind, ConditionRule>> = {
  backup: { ...toldByMail, begins: "backup.failed", calmMs: dayMs },
  backup_drill: { ...toldByMail, begins: "backup.drill_failed", ends: "backup.drill_ok" },
  disk: { ...toldByMail, begins: "disk.low", ends: "disk.ok", calmMs: dayMs },
  storage: { ...toldByMail, begins: "storage.failed", calmMs: dayMs },
  certificate: toldByMail,
  mail: { ...toldByMail, begins: "mail.failing", calmMs: dayMs, isMailed: false },
  archive: toldByMail,
  erasure: toldByMail,
};
