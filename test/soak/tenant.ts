import { secondMs } from "../../src/lib/clock";
import {
  createProject,
  login,
  ownOrigin,
  type Project,
  read,
  setUpAccount,
} from "../support/server/account";
import { ConnectionLost } from "../support/server/connection";
import { ask } from "../support/server/server";
import { isAway } from "./sender";
import type { Tally } from "./verdict";

/** The account that the soak works with, and its requests. The server comes back at the same address. */
export class Tenant {
  private constructor(
    private readonly url: string,
    private readonly key: string,
    private readonly cookie: string,
    readonly projects: readonly Project[],
  ) {}

  static async setUp(url: string): Promise<Tenant> {
    const key = await setUpAccount(url);
    const { headers } = await ask(url, "POST", "/auth/login", { Origin: ownOrigin }, login);
    const cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
    const projects: Project[] = [];
    for (const name of ["large", "small", "smaller"]) {
      projects.push(await createProject(url, key, name));
    }
    return new Tenant(url, key, cookie, projects);
  }

  /** Makes the webhook and one alert that fires within a minute and tells it and the owner. Returns the ids of both. */
  async makeWebhook(url: string): Promise<string> {
    const { id } = await this.#post<{ id: string }>("/webhooks", {
      name: "soak",
      kind: "signed",
      url,
    });
    return id;
  }
  async makeAlert(webhook: string, name: string): Promise<string> {
    const { user } = await read<{ user: { id: string } }>(this.url, this.key, "/account");
    const rule = { kind: "goal", event: "click", count: 1, per: "ever", to: [user.id, webhook] };
    const project = this.projects[0].name;
    return (await this.#post<{ id: string }>("/alerts", { project, name, ...rule })).id;
  }

  /** Starts a drill and waits for its end. Returns what was wrong, or null. */
  async drill(): Promise<string | null> {
    const headers = { Cookie: this.cookie, Origin: ownOrigin };
    const started = await ask(this.url, "POST", "/admin/backups/drill", headers);
    if (started.status !== 202) return `a drill answered ${started.status}: ${started.body}`;
    for (;;) {
      await Bun.sleep(500);
      const { body } = await ask(this.url, "GET", "/admin/backups", headers);
      const { drill }: { drill: { state: string; error: string | null } } = JSON.parse(body);
      if (drill.state !== "running") return drill.state === "ok" ? null : `a drill: ${drill.error}`;
    }
  }

  /** Asks the reads of a dashboard. Resolves with whether all were answered. */
  async readOnce(): Promise<boolean> {
    const project = `project=${this.projects[0].name}`;
    const week = `${project}&since=7d`;
    const paths = ["stats?", "breakdown?property=path&", "pages?"].map((path) => `/${path}${week}`);
    try {
      for (const path of [...paths, `/live?${project}`]) {
        await this.#ask("GET", path, 200);
      }
      return true;
    } catch (error) {
      if (isAway(error)) return false;
      throw error;
    }
  }

  tally(project: Project): Promise<Tally> {
    return tallyOf(this.url, this.key, project);
  }
  /** The same of a server that was restored from this one's backup. */
  restoredTally(url: string, project: Project): Promise<Tally> {
    return tallyOf(url, this.key, project);
  }

  async #post<T>(path: string, body: unknown): Promise<T> {
    return JSON.parse(await this.#ask("POST", path, 201, body));
  }

  async #ask(method: string, path: string, expected: number, body?: unknown): Promise<string> {
    const reply = await ask(this.url, method, path, { "X-API-Key": this.key }, body);
    // A server that ends answers so.
    if (reply.status === 503) throw new ConnectionLost(`${path} answered 503.`);
    if (reply.status !== expected)
      throw new Error(`${path} answered ${reply.status}: ${reply.body}`);
    return reply.body;
  }
}

const countAttemptsMax = 120;

async function tallyOf(url: string, key: string, { name: project }: Project): Promise<Tally> {
  const question = {
    ...{ project, since: "7d", count_mode: "raw" },
    metrics: ["event_count", "sum:properties.number"],
  };
  const headers = { "X-API-Key": key };
  let reply = await ask(url, "POST", "/query", headers, question);
  // On a busy machine too many reads may wait, or this one may take longer than a read may; the next attempt finds the
  // columns in the cache.
  const isLate = () => reply.status === 503 || reply.body.includes('"QUERY_FAILED"');
  for (let attempt = 1; isLate() && attempt < countAttemptsMax; attempt++) {
    await Bun.sleep(secondMs);
    reply = await ask(url, "POST", "/query", headers, question);
  }
  if (reply.status !== 200) throw new Error(`/query answered ${reply.status}: ${reply.body}`);
  const { rows }: { rows: readonly Record<string, number>[] } = JSON.parse(reply.body);
  const [row = {}] = rows;
  return { events: row.event_count ?? 0, sum: row["sum:properties.number"] ?? 0 };
}
