import { freePort } from "../support/server/server";
import { eventually } from "../support/suite/eventually";
import { pathFromRoot } from "../support/suite/sources";

const login = { email: "ann@example.com", password: "correct horse battery" };
const browser = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

export interface Sightline {
  readonly url: string;
  readonly child: Bun.Subprocess;
  /** Its standard error so far. */
  log(): string;
  /** Its standard output so far. */
  said(): string;
  isReady(): Promise<boolean>;
  send(path: string, body: unknown, headers?: Record<string, string>): Promise<Answered>;
}
interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, string>;
}

/** A sub-command from the sources, as `npm start` runs them. It may not listen yet. */
export function startSightline(
  environment: { readonly CLICKHOUSE_URL: string; readonly DATA_DIR: string },
  parameters: readonly string[] = ["serve"],
): Sightline {
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = Bun.spawn(
    [process.execPath, "--no-env-file", pathFromRoot("src", "main.ts"), ...parameters],
    {
      env: {
        ...{ PATH: process.env.PATH ?? "", HOST: "127.0.0.1", PORT: String(port) },
        ...{ RATE_LIMIT_RPM: "0", DEMO_ENABLED: "false" },
        ...{ ADMIN_EMAIL: login.email, ADMIN_PASSWORD: login.password },
        ...environment,
      },
      stdout: "pipe",
      stderr: "pipe",
    },
  );
  const log = gathered(child.stderr);
  const said = gathered(child.stdout);
  return {
    ...{ url, child, log, said },
    isReady: () =>
      fetch(`${url}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
    send: async (path, body, headers = {}) => {
      const response = await fetch(url + path, {
        method: "POST",
        headers: { "content-type": "application/json", "user-agent": browser, ...headers },
        body: JSON.stringify(body),
      });
      const answer = (await response.json()) as Record<string, string>;
      return { status: response.status, headers: response.headers, body: answer };
    },
  };
}

export async function readySightline(...started: Parameters<typeof startSightline>) {
  const sightline = startSightline(...started);
  await whenReady(sightline);
  return sightline;
}

export async function whenReady(sightline: Sightline): Promise<void> {
  await eventually(async () => {
    if (await sightline.isReady()) return;
    throw new Error(`The server is not ready. ${sightline.log()}`);
  });
}

/** The key of the first account, and the token of a project of it. */
export async function withProject({ url, send }: Sightline) {
  const session = await send("/auth/login", login);
  const cookie = session.headers.get("set-cookie")?.split(";")[0] ?? "";
  const signed = { cookie, origin: url };
  const { api_key: key } = (await send("/account/api-key", {}, signed)).body;
  const project = { name: "shop", domain: "shop.example.com" };
  const { project_token: token } = (await send("/projects", project, signed)).body;
  return { key, token };
}

/** Sends numbered events one after the other until one is not acknowledged. */
export async function trackUntilRefused(
  sightline: Sightline,
  token: string,
  acknowledged: { count: number },
  pauseMs = 0,
): Promise<void> {
  for (;;) {
    const answer = await track(sightline, token, acknowledged.count).catch(() => null);
    if (answer?.status !== 202) return;
    acknowledged.count++;
    if (pauseMs > 0) await Bun.sleep(pauseMs);
  }
}

export const track = ({ send }: Sightline, token: string, number: number) =>
  send("/track", { token, event: "step", event_id: `e${number}`, properties: { number } });

export async function totalEvents({ url }: Sightline, key: string): Promise<number> {
  const stats = await fetch(`${url}/stats?project=shop`, { headers: { "x-api-key": key } });
  const { totals } = (await stats.json()) as { totals: { total_events: number } };
  return totals.total_events;
}

function gathered(stream: ReadableStream<Uint8Array>): () => string {
  let text = "";
  void (async () => {
    const decoder = new TextDecoder();
    for await (const bytes of stream) text += decoder.decode(bytes, { stream: true });
  })();
  return () => text;
}
