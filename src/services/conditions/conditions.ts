/*
 * The server sends one message for each condition.
 * Decision: each look at the server reports whether a condition holds; a row of control.db remembers what people were
 * told, and for some kinds a condition that returns within a day is the same one.
 * Because: an operator who gets a message a minute switches the messages off.
 * Cost: who repairs a thing badly within a day gets no second message; the banner and the metrics show it.
 */

import {
  type ConditionKind,
  conditionRules,
  type ServerCondition,
} from "../../domain/server-condition";
import { clock } from "../../lib/clock";
import { log } from "../../lib/log";
import type { ConditionRow } from "../../store/control/condition-tables";
import type { Control } from "../../store/control/control";
import { administrators } from "../../store/control/people";
import type { Mail } from "../mail/mail";
import { conditionLetter } from "../mail/templates";
import type { Webhooks } from "../webhooks/webhooks";

interface Parts {
  readonly control: Control;
  readonly mail: Pick<Mail, "queue">;
  readonly webhooks: Pick<Webhooks, "queueOfServer">;
  /** ALERT_EMAIL; null for the addresses of the administrators. */
  readonly alertEmail: string | null;
}

type Numbers = Readonly<Record<string, unknown>>;

/** The page of administrators that shows conditions. */
const path = "/app/admin";

/** The conditions of the server. Each begins, sends one message, may get worse and send another, and ends. */
export class Conditions {
  constructor(private readonly parts: Parts) {}

  /** Those that hold now. */
  get holding(): readonly ConditionRow[] {
    return this.parts.control.serverConditions.holding();
  }

  /**
   * Reports what one look found: a condition, or null for none. Called with every look, or in the commit of a cause;
   * only a change is written.
   */
  report(kind: ConditionKind, found: ServerCondition | null, numbers: Numbers = {}): void {
    const before = this.parts.control.serverConditions.of(kind);
    if (before === undefined && found === null) return;
    const after = following(kind, before, found, clock.nowMs());
    if (after !== null && before !== undefined && isSame(before, after)) return;
    this.parts.control.write(() => this.#note(kind, before, after, numbers));
  }

  #note(
    kind: ConditionKind,
    before: ConditionRow | undefined,
    after: ConditionRow | null,
    numbers: Numbers,
  ): void {
    const { serverConditions } = this.parts.control;
    if (after === null) {
      serverConditions.drop(kind);
      if (before !== undefined) this.#tellEnd(kind, before, numbers);
      return;
    }
    serverConditions.put(after);
    const isWorse = after.toldSeverity > (before?.toldSeverity ?? 0);
    if (isWorse) this.#tell(kind, after, numbers);
  }

  #tell(kind: ConditionKind, { title, sentence }: ConditionRow, numbers: Numbers): void {
    const { mail, webhooks } = this.parts;
    const { begins, isMailed } = conditionRules[kind];
    log("error", "a condition of the server begins", { condition: kind, title });
    for (const to of isMailed ? this.#recipients : []) {
      mail.queue("operator", to, (sender) => conditionLetter(sender, { title, sentence, path }));
    }
    if (begins === null) return;
    webhooks.queueOfServer(
      begins,
      { condition: kind, title, ...numbers },
      { lines: [capital(title), sentence], path },
    );
  }

  #tellEnd(kind: ConditionKind, { title }: ConditionRow, numbers: Numbers): void {
    const { ends } = conditionRules[kind];
    log("info", "a condition of the server ended", { condition: kind, title });
    if (ends === null) return;
    this.parts.webhooks.queueOfServer(
      ends,
      { condition: kind, title, ...numbers },
      { lines: [`Over: ${title}`], path },
    );
  }

  get #recipients(): readonly string[] {
    const { alertEmail, control } = this.parts;
    return alertEmail === null ? administrators(control).map(({ email }) => email) : [alertEmail];
  }
}

/** The row after a look; null when the condition is over. */
function following(
  kind: ConditionKind,
  before: ConditionRow | undefined,
  found: ServerCondition | null,
  nowMs: number,
): ConditionRow | null {
  const severity = found?.severity ?? 0;
  const { title, sentence } = found ?? before ?? { title: "", sentence: "" };
  const shown = { kind, severity, title, sentence };
  const toldSeverity = before?.toldSeverity ?? 0;
  const sinceMs = before?.sinceMs ?? nowMs;
  if (severity >= toldSeverity)
    return { ...shown, toldSeverity: severity, sinceMs, easedAtMs: null };
  // A time ahead of now was noted under a clock that was ahead.
  const easedAtMs = Math.min(before?.easedAtMs ?? nowMs, nowMs);
  if (nowMs - easedAtMs < conditionRules[kind].calmMs) {
    return { ...shown, toldSeverity, sinceMs, easedAtMs };
  }
  return severity === 0 ? null : { ...shown, toldSeverity: severity, sinceMs, easedAtMs: null };
}

const isSame = (one: ConditionRow, other: ConditionRow): boolean =>
  one.severity === other.severity &&
  one.toldSeverity === other.toldSeverity &&
  one.title === other.title &&
  one.sentence === other.sentence &&
  one.easedAtMs === other.easedAtMs;

const capital = (title: string): string => title.charAt(0).toUpperCase() + title.slice(1);
