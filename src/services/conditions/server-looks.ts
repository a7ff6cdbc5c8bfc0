import {
  type ConditionKind,
  certificateDaysMin,
  type ServerCondition,
} from "../../domain/server-condition";
import { clock, dayMs, minuteMs, secondMs } from "../../lib/clock";
import { describeFault } from "../../lib/fault";
import { log } from "../../lib/log";
import type { BackgroundCheck } from "../../store/background-check";
import type { Backups } from "../../store/backups/backups";
import type { BackupStatus } from "../../store/backups/messages";
import { failingArchives } from "../../store/control/archived-files";
import type { Control } from "../../store/control/control";
import type { EventStore } from "../../store/port";
import type { ReplayStore } from "../../store/replay-port";
import type { BackupDrill } from "../backup-drill";
import type { Disk, DiskFigures } from "../disk/disk";
import type { Erasures } from "../erasures";
import type { Conditions } from "./conditions";

interface Parts {
  readonly conditions: Conditions;
  readonly control: Control;
  readonly disk: Pick<Disk, "figures">;
  readonly store: Pick<EventStore, "health">;
  readonly replays: Pick<ReplayStore, "health">;
  readonly fileCheck: Pick<BackgroundCheck, "foundDamage">;
  readonly backups: Pick<Backups, "status" | "config"> | null;
  readonly backupDrill: Pick<BackupDrill, "ended">;
  readonly erasures: Pick<Erasures, "unnoted">;
  readonly server: { certificateEndsAtMs(): number | null };
}

type Numbers = Readonly<Record<string, unknown>>;
interface Look {
  readonly found: ServerCondition | null;
  readonly numbers?: Numbers;
}

/**
 * A backup is late this long after two of its intervals, within which the next one should have succeeded; so is the
 * note of an erasure beside it.
 */
const lateMsMin = 10 * minuteMs;

/** Looks at the parts of the server again and again, and reports what an operator must do something about. */
export class ServerLooks {
  readonly #startedMs = clock.nowMs();

  constructor(private readonly parts: Parts) {}

  async run(): Promise<void> {
    for (const [kind, look] of this.#looks) {
      try {
        const { found, numbers } = await look();
        this.parts.conditions.report(kind, found, numbers);
      } catch (error) {
        // The next look is a minute away.
        log("error", "could not look at the server", { condition: kind, ...describeFault(error) });
      }
    }
  }

  /** Looks at mail alone, in the commit of a message that failed. */
  lookAtMail(): void {
    const { found, numbers } = this.#mail();
    this.parts.conditions.report("mail", found, numbers);
  }

  get #looks(): readonly (readonly [ConditionKind, () => Look | Promise<Look>])[] {
    return [
      ["storage", () => this.#storage()],
      ["disk", () => diskLook(this.parts.disk.figures)],
      ["backup", () => this.#backup()],
      ["backup_drill", () => this.#drill()],
      ["certificate", () => this.#certificate()],
      ["mail", () => this.#mail()],
      ["archive", () => this.#archive()],
      ["erasure", () => this.#erasure()],
    ];
  }

  #storage(): Look {
    const { control, fileCheck, store, replays } = this.parts;
    const [events, recordings] = [store.health(), replays.health()];
    if (
      !control.damage.isEmpty ||
      fileCheck.foundDamage ||
      events.isDamaged ||
      recordings.isDamaged
    ) {
      const title = "stored data is damaged";
      const sentence =
        "Stored data is damaged. The log of the server says where. Stop the server and restore a backup.";
      return { found: { severity: 2, title, sentence } };
    }
    if (events.storage === "ok" && recordings.storage === "ok") return none;
    const what = events.storage === "ok" ? "recordings" : "events";
    const title = `${what} cannot be stored`;
    const sentence = `The server cannot store ${what}. Its log says why: the disk may be full or broken.`;
    return { found: { severity: 1, title, sentence } };
  }

  async #backup(): Promise<Look> {
    const { backups } = this.parts;
    if (backups === null) return none;
    // The log has the reason.
    const status = await backups.status().catch(() => null);
    if (status === null) return { found: unusableBackup };
    const lateMs = 2 * backups.config.everyMs + lateMsMin;
    const sinceMs = status.lastOkMs ?? this.#startedMs;
    const numbers = backupNumbers(status);
    if (clock.nowMs() - sinceMs <= lateMs) return { found: null, numbers };
    const title = status.lastError === null ? "the backup is late" : "the backup fails";
    const why = status.lastError === null ? "" : ` The last error: ${status.lastError}`;
    const sentence = `No backup has succeeded since ${isoMinute(sinceMs)}.${why}`;
    return { found: { severity: 1, title, sentence }, numbers };
  }

  #drill(): Look {
    const { state, error, seconds, restored_at } = this.parts.backupDrill.ended;
    const numbers = { seconds, restored_at };
    if (state !== "failed") return { found: null, numbers };
    const sentence = `The backup could not be restored in a drill. ${error ?? ""}`.trim();
    return {
      found: { severity: 1, title: "the drill of the backup failed", sentence },
      numbers: { ...numbers, error },
    };
  }

  #certificate(): Look {
    const endsAtMs = this.parts.server.certificateEndsAtMs();
    const leftMs = (endsAtMs ?? Number.POSITIVE_INFINITY) - clock.nowMs();
    if (endsAtMs === null || leftMs >= certificateDaysMin * dayMs) return none;
    const isOver = leftMs <= 0;
    const title = isOver ? "the TLS certificate has ended" : "the TLS certificate ends soon";
    const sentence =
      `The certificate ${isOver ? "ended" : "ends"} on ${new Date(endsAtMs).toISOString().slice(0, 10)}. Renew it; ` +
      "the server uses new files within a minute, without a restart.";
    return { found: { severity: isOver ? 2 : 1, title, sentence } };
  }

  #mail(): Look {
    const { control } = this.parts;
    const nowMs = clock.nowMs();
    const { queued, failed24h } = control.mail.counts(nowMs);
    const numbers = { queued, failed_24h: failed24h };
    if (!control.mail.isFailing(nowMs)) return { found: null, numbers };
    const sentence =
      "The mail server takes no messages. GET /admin/mail shows its answers; check the SMTP_ settings.";
    return { found: { severity: 1, title: "mail fails", sentence }, numbers };
  }

  #archive(): Look {
    const projects = failingArchives(this.parts.control);
    if (projects === 0) return none;
    const sentence =
      "Old events cannot be written to their archive, so they are not deleted. The log of the server has the " +
      "reason; check ARCHIVE_DIR, or the target of BACKUP_URL. A folder in DATA_DIR takes no files while the disk is " +
      "nearly full.";
    return { found: { severity: 1, title: "the archive fails", sentence }, numbers: { projects } };
  }

  #erasure(): Look {
    const { count, sinceMs, why } = this.parts.erasures.unnoted;
    if (sinceMs === null || clock.nowMs() - sinceMs <= lateMsMin) return none;
    const last = why === null ? "" : ` The last error: ${why}`;
    const sentence =
      `Since ${isoMinute(sinceMs)} the target of the backups lacks the note of a person who was erased: a restore of ` +
      `an older moment would bring them back. The server tries again each minute.${last}`;
    const title = "an erasure is not noted beside the backup";
    return { found: { severity: 1, title, sentence }, numbers: { erasures: count } };
  }
}

/** The words for each level, and what it stops. */
const diskWords = {
  low: {
    severity: 1,
    title: "the disk gets full",
    effect: "Nothing is refused yet.",
  },
  tight: {
    severity: 2,
    title: "the disk is nearly full",
    effect: "The server takes no new recordings and imports, and archives nothing into DATA_DIR.",
  },
  full: {
    severity: 3,
    title: "the disk is full",
    effect: "The server stores no events; everything else works.",
  },
} as const;

function diskLook(figures: DiskFigures): Look {
  const { level, freeBytes, reserveBytes, perDayBytes, daysToFull } = figures;
  const numbers = {
    ...{ level, free_bytes: freeBytes, reserve_bytes: reserveBytes },
    ...{ per_day_bytes: perDayBytes, days_to_full: daysToFull },
  };
  if (level === "ok") return { found: null, numbers };
  const { severity, title, effect } = diskWords[level];
  const sentence = `${effect} Delete projects, keep events for a shorter time, or use a larger disk.`;
  return { found: { severity, title, sentence }, numbers };
}

const none: Look = { found: null };

/** The thread of backups could not start, or it ended. */
const unusableBackup: ServerCondition = {
  severity: 1,
  title: "the backup does not run",
  sentence:
    "The backup does not run. The log of the server says why; correct that and restart the server.",
};

const backupNumbers = ({ lastOkMs, failures }: BackupStatus): Numbers => ({
  last_ok_at: lastOkMs === null ? null : new Date(lastOkMs).toISOString(),
  lag_s: lastOkMs === null ? null : (clock.nowMs() - lastOkMs) / secondMs,
  failures,
});

const isoMinute = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16)}Z`;
