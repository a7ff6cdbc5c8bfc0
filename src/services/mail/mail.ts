/*
 * Messages go through a queue in control.db.
 * Decision: a message is a row that is written in the commit of its cause; one loop sends them, one at a time, and
 * notes each in a commit of its own.
 * Because: a change without its message, or a message about a change that was not made, would be worse than a late one.
 * Cost: a message goes out twice when the process is killed after the mail server's answer and before our commit.
 */

import type { MailSettings } from "../../config-mail";
import type { Letter, MailKind } from "../../domain/mail/message";
import { mailWaitMs } from "../../domain/mail/retries";
import { clock, secondMs } from "../../lib/clock";
import { newId } from "../../lib/ids";
import { log } from "../../lib/log";
import type { Control } from "../../store/control/control";
import type { MailRow } from "../../store/control/mail-tables";
import type { Mailing, SmtpOutcome } from "./smtp";
import { type Sender, testLetter } from "./templates";

interface Parts {
  readonly control: Control;
  readonly settings: MailSettings;
  /** PUBLIC_URL. */
  readonly url: string;
  /** Runs in the commit of a message that failed. */
  readonly onFailed?: () => void;
  readonly lookEveryMs?: number;
}

const lookMs = 5 * secondMs;
/** A stop waits this long for the message that is on its way. */
const closeMsMax = 5 * secondMs;

export class Mail {
  readonly sender: Sender;
  /** Messages since the start, by what became of them. */
  readonly totals = { sent: 0, delayed: 0, failed: 0 };
  readonly #control: Control;
  readonly #settings: MailSettings;
  readonly #onFailed: (() => void) | undefined;
  readonly #timer: ReturnType<typeof setInterval> | null;
  #running: Promise<void> | null = null;
  #isClosed = false;

  constructor({ control, settings, url, onFailed, lookEveryMs = lookMs }: Parts) {
    this.#control = control;
    this.#settings = settings;
    this.#onFailed = onFailed;
    this.sender = { url };
    this.#timer = this.isOn ? setInterval(this.#wake, lookEveryMs) : null;
    this.#wakeSoon();
  }

  /** Tells whether messages are sent. While they are not, none is queued. */
  get isOn(): boolean {
    return this.#settings.way !== null;
  }

  /** Queues a message, if mail is on, and returns its id. Runs within the transaction of what causes it. */
  queue(kind: MailKind, to: string, letterFor: (sender: Sender) => Letter): string | null {
    if (!this.isOn) return null;
    const id = this.#control.mail.add(kind, to, letterFor(this.sender));
    this.#wakeSoon();
    return id;
  }

  /** Sends a test at once, beside the queue. Null while mail is off. */
  async test(to: string): Promise<SmtpOutcome | null> {
    const { way } = this.#settings;
    if (way === null) return null;
    const { sendMail } = await import("./smtp");
    const letter = testLetter(this.sender);
    return sendMail(way, { id: newId("msg"), kind: "test", to, letter, atMs: clock.nowMs() });
  }

  /** Sends whatever is due. Tests wait for it; the server calls it by itself. */
  sendDue(): Promise<void> {
    this.#running ??= this.#sendDue().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    if (this.#running !== null) await Promise.race([this.#running, Bun.sleep(closeMsMax)]);
  }

  readonly #wake = (): void => {
    this.sendDue().catch((error: unknown) => {
      log("error", "mail could not be sent", {
        why: error instanceof Error ? error.name : "unknown",
      });
    });
  };

  /** After the transaction that runs now. */
  #wakeSoon(): void {
    if (this.isOn) setTimeout(this.#wake, 0);
  }

  async #sendDue(): Promise<void> {
    const { way, perHour } = this.#settings;
    if (way === null) return;
    while (!this.#isClosed) {
      const nowMs = clock.nowMs();
      const row = this.#control.mail.next(nowMs);
      if (row === undefined || this.#control.mail.sentInHour(nowMs) >= perHour) return;
      const letter = this.#control.mail.letterOf(row);
      if (letter === null) {
        this.#fail(row, row.tries, "It was encrypted with another IDENTITY_SECRET.");
        continue;
      }
      const { id, kind, recipient: to, createdAtMs: atMs } = row;
      const mailing: Mailing = { id, kind, to, letter, atMs };
      const { sendMail } = await import("./smtp");
      this.#note(row, await sendMail(way, mailing));
    }
  }

  #note(row: MailRow, outcome: SmtpOutcome): void {
    const tries = row.tries + 1;
    if (outcome.isTaken) {
      this.#control.mail.noteSent(row.id, tries);
      this.totals.sent += 1;
      return;
    }
    const { stage, response, isFinal } = outcome;
    const error = `${stage}: ${response}`;
    const waitMs = isFinal ? null : mailWaitMs(tries);
    if (waitMs === null) {
      this.#control.write(() => {
        this.#fail(row, tries, error);
        this.#onFailed?.();
      });
      return;
    }
    this.#control.mail.noteDelayed(row.id, tries, error, clock.nowMs() + waitMs);
    this.totals.delayed += 1;
  }

  #fail({ id, kind }: MailRow, tries: number, error: string): void {
    this.#control.mail.noteFailed(id, tries, error);
    this.totals.failed += 1;
    log("warn", "a message was not delivered; GET /admin/mail shows why", { kind, tries });
  }
}
