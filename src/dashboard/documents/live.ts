import { call, type Project, type ProjectList } from "./api";
import { byId, element, say, show } from "./dom";
import { enter } from "./frame";
import { LiveChart } from "./live-chart";
import { LiveConnection, type Message, type State } from "./live-connection";

interface LiveEvent {
  readonly id: string;
  readonly event: string;
  readonly properties: Readonly<Record<string, unknown>> | null;
  readonly user_id: string | null;
  readonly timestamp: number;
  readonly country: string | null;
}
interface Snapshot extends Message {
  readonly timestamp: number;
  readonly active_visitors: number;
  readonly active_sessions: number;
  readonly events_per_minute: number;
  readonly top_pages: readonly { readonly path: string; readonly visitors: number }[];
  readonly countries: readonly {
    readonly country: string;
    readonly visitors: number;
    readonly events: number;
  }[];
  readonly recent_events: readonly LiveEvent[];
}

const feedMax = 30;
/** However many events come, the page is drawn so often. */
const drawEveryMs = 500;

/** /app/live: what is happening in a project right now. */
export async function startLive(): Promise<void> {
  await enter();
  const { projects } = await call<ProjectList>("GET", "/projects");
  const [oldest] = projects;
  show("live-none", oldest === undefined);
  if (oldest === undefined) return say("live-status", "");
  const asked = new URLSearchParams(location.search).get("project");
  const shown = projects.find(({ id, name }) => id === asked || name === asked) ?? oldest;
  const page = new LivePage();
  offer(projects, shown, (project) => {
    history.replaceState(null, "", `?project=${encodeURIComponent(project.name)}`);
    page.watch(project);
  });
  page.watch(shown);
}

function offer(
  projects: readonly Project[],
  shown: Project,
  choose: (project: Project) => void,
): void {
  show("live-project-row", projects.length > 1);
  const chooser = byId("live-project");
  if (!(chooser instanceof HTMLSelectElement)) throw new Error("#live-project is no select.");
  chooser.append(...projects.map(({ id, name }) => new Option(name, id, false, id === shown.id)));
  chooser.onchange = () => {
    const chosen = projects.find(({ id }) => id === chooser.value);
    if (chosen !== undefined) choose(chosen);
  };
}

class LivePage {
  #connection: LiveConnection | null = null;
  readonly #chart = new LiveChart();
  #snapshot: Snapshot | null = null;
  /** Newest first. */
  #feed: LiveEvent[] = [];
  #isChanged = false;
  #isPaused = false;

  constructor() {
    byId("live-retry").onclick = () => this.#connection?.open();
    byId("live-pause").onclick = () => this.#pause(!this.#isPaused);
    setInterval(() => this.#draw(), drawEveryMs);
  }

  watch(project: Project): void {
    this.#connection?.close();
    this.#chart.clear();
    this.#snapshot = null;
    this.#feed = [];
    show("live", false);
    this.#pause(false);
    this.#connection = new LiveConnection(project.id, {
      said: (message) => this.#said(message),
      changed: (state) => this.#tell(state, project),
    });
    this.#connection.open();
  }

  #said(message: Message): void {
    if (isTrack(message)) this.#feed = [message, ...this.#feed].slice(0, feedMax);
    else if (isSnapshot(message)) {
      const known = new Set(this.#feed.map(({ id }) => id));
      const missed = message.recent_events.filter(({ id }) => !known.has(id));
      // Ids ascend with storing.
      this.#feed = [...this.#feed, ...missed].sort((a, b) => (a.id < b.id ? 1 : -1));
      this.#feed.length = Math.min(this.#feed.length, feedMax);
      this.#snapshot = message;
      this.#chart.add({ atMs: message.timestamp, value: message.events_per_minute });
    } else return;
    this.#isChanged = true;
    // The first numbers need not wait for their turn.
    if (byId("live").hidden) this.#draw();
  }

  #tell(state: State, { name }: Project): void {
    const status = byId("live-status");
    status.dataset.state = state.kind;
    status.textContent = textOf(state, name);
    // Numbers that may hold no more are shown as such.
    byId("live").setAttribute("aria-busy", String(state.kind !== "live"));
    show("live-retry", state.kind === "ended" && state.canRetry);
    const isPlan = state.kind === "ended" && /\bPro\b/.test(state.text);
    const help = byId("live-help");
    help.hidden = !isPlan;
    if (isPlan) help.replaceChildren(linkTo("/account/billing", "See the plan of this account"));
  }

  #pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    const button = byId("live-pause");
    button.textContent = isPaused ? "Go on" : "Pause";
    button.setAttribute("aria-pressed", String(isPaused));
  }

  #draw(): void {
    const snapshot = this.#snapshot;
    if (snapshot === null || !this.#isChanged || this.#isPaused) return;
    this.#isChanged = false;
    show("live");
    show("live-pause");
    byId("live-visitors").textContent = snapshot.active_visitors.toLocaleString();
    byId("live-sessions").textContent = snapshot.active_sessions.toLocaleString();
    byId("live-rate").textContent = snapshot.events_per_minute.toLocaleString();
    show("live-empty", snapshot.recent_events.length === 0);
    fill(
      "live-pages",
      snapshot.top_pages.map(({ path, visitors }) => [path, visitors]),
    );
    fill(
      "live-countries",
      snapshot.countries.map((row) => [countryName(row.country), row.visitors, row.events]),
    );
    show("feed-none", this.#feed.length === 0);
    byId("feed").replaceChildren(...this.#feed.map(feedRow));
    this.#chart.draw();
  }
}

const isTrack = (message: Message): message is Message & LiveEvent => message.type === "track";
const isSnapshot = (message: Message): message is Snapshot => message.type === "snapshot";

function textOf(state: State, project: string): string {
  switch (state.kind) {
    case "connecting":
      return "Connecting…";
    case "live":
      return `Live: ${project}`;
    case "lost":
      return `${state.text} Trying again in ${state.retryMs / 1_000} s.`;
    case "ended":
      return state.text;
  }
}

/** A table, or the sentence that says that it has no rows. The first column names a row. */
function fill(id: string, rows: readonly (readonly (string | number)[])[]): void {
  show(`${id}-none`, rows.length === 0);
  show(`${id}-table`, rows.length > 0);
  byId(id).replaceChildren(
    ...rows.map(([name = "", ...numbers]) => {
      const head = element("th", String(name));
      head.setAttribute("scope", "row");
      const cells = numbers.map((number) => element("td", number.toLocaleString()));
      return element("tr", "", [head, ...cells]);
    }),
  );
}

function feedRow({ event, properties, user_id: user, timestamp, country }: LiveEvent): HTMLElement {
  const at = new Date(timestamp);
  const time = element("time", at.toLocaleTimeString());
  time.setAttribute("datetime", at.toISOString());
  const path = properties?.path;
  const about = [
    typeof path === "string" ? path : null,
    country === null ? null : countryName(country),
    user,
  ].filter((part) => part !== null);
  const row = element("li", "", [time, element("strong", event)]);
  row.append(...about.map((part) => element("bdi", part)));
  return row;
}

const countries = new Intl.DisplayNames(undefined, { type: "region" });

/** Country codes that no list knows are shown as they are. */
function countryName(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? (countries.of(code) ?? code) : code;
}

function linkTo(path: string, text: string): HTMLElement {
  const link = element("a", text);
  link.setAttribute("href", path);
  return link;
}
