import { setPriority } from "node:os";
import { join } from "node:path";
import type { Config } from "../config";
import { type Actor, serverItself } from "../domain/audit";
import { ApiError } from "../domain/errors";
import { clock, dayMs } from "../lib/clock";
import { log } from "../lib/log";
import { ownCommand } from "../lib/own-command";
import type { Backups } from "../store/backups/backups";
import { removeLeftDrills } from "../store/backups/drill-folder";
import { installationOf } from "../store/backups/statements";
import { note } from "../store/control/audit";
import type { Control } from "../store/control/control";
import { settingQueries } from "../store/control/settings";
import { type DrillOutcome, type DrillState, drillStateAfter, noDrill } from "./drill-state";

/** A setting of control.db: the newest drill, so that a restart does not make another. */
const settingName = "backup_drill";
/** A drill gets what nobody else wants. */
const niceness = 19;
const everyMs = { daily: dayMs, weekly: 7 * dayMs, off: Number.POSITIVE_INFINITY } as const;

/** Tries from time to time whether the backup can be restored, in a process of its own. */
export class BackupDrill {
  readonly #settings: ReturnType<typeof settingQueries>;
  #child: Bun.Subprocess<"ignore", "pipe", "ignore"> | null = null;
  /** Tells whether the copies of drills that an earlier server left are removed. */
  #isSwept = false;

  constructor(
    private readonly parts: {
      readonly control: Control;
      readonly config: Pick<Config, "backups" | "dataDir">;
      readonly backups: Pick<Backups, "status"> | null;
    },
  ) {
    this.#settings = settingQueries(parts.control.db);
  }

  get state(): DrillState {
    return this.#child === null ? this.ended : { ...this.ended, state: "running", error: null };
  }

  /** The newest drill that ended, also while another runs. */
  get ended(): DrillState {
    const text = this.#settings.read(settingName);
    return text === undefined ? noDrill : { ...noDrill, ...JSON.parse(text) };
  }

  /** Starts a drill, which the audit log has once it has ended. Throws DRILL_RUNNING. */
  start(actor: Actor = serverItself): void {
    if (this.#child !== null) {
      throw new ApiError("DRILL_RUNNING", "A drill is running. Ask for its result later.");
    }
    const child = Bun.spawn([...ownCommand(), "drill", "--json"], {
      ...{ stdin: "ignore", stdout: "pipe", stderr: "ignore" },
    });
    this.#child = child;
    if (process.platform !== "win32") setPriority(child.pid, niceness);
    void this.#end(child, actor);
  }

  /** Starts one when the last is old enough. The first waits until there is a day to restore. */
  async runIfDue(nowMs: number): Promise<void> {
    const { backups, config } = this.parts;
    if (backups === null || config.backups === null || this.#child !== null) return;
    if (!this.#isSwept) {
      const installation = installationOf(join(config.dataDir, "control.db"));
      removeLeftDrills(config.backups.drillDir, installation);
      this.#isSwept = true;
    }
    const { at } = this.state;
    const dueMs =
      at === null
        ? ((await backups.status()).oldestMs ?? nowMs) + dayMs
        : Date.parse(at) + everyMs[config.backups.drill];
    if (config.backups.drill !== "off" && nowMs >= dueMs) this.start();
  }

  async close(): Promise<void> {
    this.#child?.kill();
    await this.#child?.exited;
  }

  async #end(child: Bun.Subprocess<"ignore", "pipe", "ignore">, actor: Actor): Promise<void> {
    const outcome = outcomeIn(await new Response(child.stdout).text());
    await child.exited;
    const wasKilled = child.signalCode !== null;
    const before = this.state;
    this.#child = null;
    // The server is stopping, or somebody ended it: that says nothing about the backup.
    if (!wasKilled) this.#note(outcome, before, actor);
  }

  #note(outcome: DrillOutcome, before: DrillState, actor: Actor): void {
    const nowMs = clock.nowMs();
    const state = drillStateAfter(before, outcome, nowMs);
    const { seconds, error } = outcome;
    const { control } = this.parts;
    control.write(() => {
      this.#settings.put(settingName, JSON.stringify(state));
      note(control, {
        ...{ accountId: null, actor, action: "backup_drill" },
        target: { type: "backup", id: "newest" },
        details: { state: outcome.state, seconds, restored_at: outcome.restored_at },
      });
    });
    if (state.state === "failed")
      log("error", "the drill of the backup failed", { seconds, why: error });
    else log("info", "the drill of the backup ended", { state: outcome.state, seconds });
  }
}

function outcomeIn(text: string): DrillOutcome {
  try {
    const outcome: DrillOutcome = JSON.parse(text);
    return outcome;
  } catch {
    const error = "The process of the drill ended without a result.";
    return { state: "failed", seconds: null, error, restored_at: null };
  }
}
