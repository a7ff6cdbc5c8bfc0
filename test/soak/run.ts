import { readdirSync } from "node:fs";
import { join } from "node:path";
import { memoryOf } from "../load/memory";
import { smtpSettings } from "../mail/smtp";
import { ownOrigin } from "../support/server/account";
import { freePort, runCommand, type Server, startServer } from "../support/server/server";
import { type Counterparts, mailIds } from "./counterparts";
import { every } from "./every";
import type { Plan, Step } from "./plan";
import { say } from "./say";
import { isAway, Sender } from "./sender";
import { Tenant } from "./tenant";
import type { Counts, Findings, Rest } from "./verdict";

const dayMs = 86_400_000;
const readEveryMs = 2_000;
const progressEveryMs = 60_000;
/** An alert is looked at each minute, and told in the next few seconds. */
const tellMsMax = 90_000;

/** One soak: a server under load that is stopped, killed, drilled and left alone as the plan says. */
export class Soak {
  readonly #rests: Rest[] = [];
  readonly #alerts: string[] = [];
  readonly #failedSteps: string[] = [];
  /** The requests beside the load that were refused, each sentence once. */
  readonly #failures = new Set<string>();
  #logBytes = 0;
  #reads = 0;
  readonly #messages = new Map<string, number>();

  private constructor(
    private readonly plan: Plan,
    private readonly folder: string,
    private readonly counterparts: Counterparts,
    private readonly env: Readonly<Record<string, string>>,
    private readonly tenant: Tenant,
    private server: Server,
  ) {}

  static async start(plan: Plan, folder: string, counterparts: Counterparts): Promise<Soak> {
    const dataDir = join(folder, "data");
    const port = { PORT: String(freePort()), DEMO_ENABLED: "false", INGEST_RPM: "0" };
    // Set-up is open on this machine while PUBLIC_URL is unset; mail is off then.
    const first = await startServer({ dataDir, env: port });
    const tenant = await Tenant.setUp(first.url);
    await first.stop();
    const env = {
      // The usual cache would take more as long as there are more columns: what else grows would not be seen.
      CACHE_MB: "256",
      ...port,
      ...smtpSettings(counterparts.smtp, { PUBLIC_URL: ownOrigin }),
      BACKUP_URL: `file://${join(folder, "backup")}`,
      BACKUP_EVERY_S: String(plan.backupEveryS),
      BACKUP_DRILL_DIR: join(folder, "drill"),
      WEBHOOK_ALLOW_HOSTS: counterparts.webhookHost,
    };
    const server = await startServer({ dataDir, env });
    return new Soak(plan, folder, counterparts, env, tenant, server);
  }

  async run(eventsPerSecond: number): Promise<Findings> {
    const { tenant, plan } = this;
    const sender = new Sender(this.server.url, tenant.projects, eventsPerSecond);
    const webhook = await tenant.makeWebhook(this.counterparts.webhookUrl);
    const startedAtMs = performance.now();
    const end = new AbortController();
    const times = {
      isOver: () => end.signal.aborted,
      noteFailure: (text: string) => void this.#failures.add(text),
    };
    const beside = [
      every(readEveryMs, times, async () => {
        if (await tenant.readOnce()) this.#reads += 1;
      }),
      every(plan.alertEveryMs, times, () => this.#makeAlert(webhook)),
      every(progressEveryMs, times, async () => this.#showProgress(startedAtMs, sender)),
    ];
    for (const step of plan.steps) {
      await Bun.sleep(Math.max(0, startedAtMs + step.atMs - performance.now()));
      await this.#take(step, sender);
    }
    end.abort();
    await Promise.all(beside);
    await sender.end();
    await this.#alertsAreTold();
    const counts = await this.#count(sender);
    const { acknowledged } = sender;
    const sent = acknowledged.reduce((sum, { events }) => sum + events, 0);
    say(`${sent} events, ${sender.repeats} repeats of requests, ${this.#reads} rounds of reads`);
    return {
      ...{ rests: this.#rests, counts, mailIds: mailIds(this.counterparts), alerts: this.#alerts },
      firedAlerts: this.#firedAlerts(),
      logMessages: Object.fromEntries(this.#messages),
      logBytesPerDay: (this.#logBytes / plan.totalMs) * dayMs,
      failedSteps: [...this.#failedSteps, ...this.#failures],
    };
  }

  async #take({ what }: Step, sender: Sender): Promise<void> {
    if (what === "rest") return this.#rest(sender);
    if (what === "drill") {
      const fault = await this.tenant.drill();
      if (fault !== null) this.#failedSteps.push(fault);
      return;
    }
    if (what === "kill") await this.server.kill();
    else if ((await this.server.stop()) !== 0) this.#failedSteps.push("A stop did not end with 0.");
    this.#noteLog();
    this.server = await startServer({ dataDir: join(this.folder, "data"), env: this.env });
  }

  /** Leaves the server alone for a while, and looks at what it holds then. */
  async #rest(sender: Sender): Promise<void> {
    await sender.pause();
    await Bun.sleep(this.plan.restMs);
    const { pid } = this.server.process;
    const rest = {
      memoryMb: Math.round(memoryOf(pid).nowMb),
      descriptors: readdirSync(`/proc/${pid}/fd`).length,
      threads: readdirSync(`/proc/${pid}/task`).length,
    };
    this.#rests.push(rest);
    say(`rest ${this.#rests.length}: ${JSON.stringify(rest)}`);
    sender.resume();
  }

  async #makeAlert(webhook: string): Promise<void> {
    try {
      this.#alerts.push(await this.tenant.makeAlert(webhook, `alert ${this.#alerts.length}`));
    } catch (error) {
      // The next one is in time.
      if (!isAway(error)) throw error;
    }
  }

  /** The alerts that the receiver of webhooks was told of, once for each message. */
  #firedAlerts(): readonly string[] {
    const messages = new Map(this.counterparts.webhooks.map(({ id, alert }) => [id, alert]));
    return [...messages.values()].filter((alert) => alert !== null);
  }

  async #alertsAreTold(): Promise<void> {
    const endsAtMs = performance.now() + tellMsMax;
    while (performance.now() < endsAtMs && this.#firedAlerts().length < this.#alerts.length) {
      await Bun.sleep(500);
    }
  }

  /** Counts what is stored, and what the newest restore has. The server is stopped between the two. */
  async #count(sender: Sender): Promise<readonly Counts[]> {
    const { tenant, folder, env } = this;
    const stored = await inTurn(tenant.projects, (project) => tenant.tally(project));
    if ((await this.server.stop()) !== 0)
      this.#failedSteps.push("The last stop did not end with 0.");
    this.#noteLog();
    const restoredDir = join(folder, "restored");
    const { exitCode, output } = await runCommand(
      ["restore", join(folder, "backup"), restoredDir],
      { dataDir: restoredDir, env },
    );
    if (exitCode !== 0) throw new Error(`The restore ended with ${exitCode}: ${output}`);
    const server = await startServer({ dataDir: restoredDir });
    const restored = await inTurn(tenant.projects, (project) =>
      tenant.restoredTally(server.url, project),
    );
    await server.stop();
    return sender.acknowledged.map(({ project, events, sum }, index) => ({
      ...{ project: project.name, acknowledged: { events, sum } },
      ...{ stored: stored[index], restored: restored[index] },
    }));
  }

  /** Notes the size of the log of a process that has ended, and how often it has each message. */
  #noteLog(): void {
    const log = this.server.output();
    this.#logBytes += log.length;
    for (const [, message] of log.matchAll(/"message":"([^"]*)"/g)) {
      this.#messages.set(message, (this.#messages.get(message) ?? 0) + 1);
    }
  }

  #showProgress(startedAtMs: number, { events, repeats }: Sender): void {
    const minutes = Math.round((performance.now() - startedAtMs) / 60_000);
    const { nowMb } = memoryOf(this.server.process.pid);
    say(
      `${minutes} min: ${events} events, ${repeats} repeats, ${Math.round(nowMb)} MB, ` +
        `${this.counterparts.smtp.taken.length} mails, ${this.counterparts.webhooks.length} webhooks`,
    );
  }
}

/** Asks one after the other: a hundred reads at once are more than may wait. */
async function inTurn<Item, Result>(
  items: readonly Item[],
  ask: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await ask(item));
  return results;
}
