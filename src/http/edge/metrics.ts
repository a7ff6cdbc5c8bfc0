import { assert } from "../../lib/assert";
import type { InsertFigures } from "../../store/port";

/** Upper bounds in seconds: from a cached read to the end of a read's budget. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Figures that only their owners know at the moment of asking. */
export interface Gauges {
  readonly queuedEvents: number;
  readonly storageErrors: number;
  readonly liveConnections: number;
  /** The figures of inserts where events are stored over a network. */
  readonly inserts: InsertFigures | undefined;
  /** In the order in which they are shown; those of one name follow each other. */
  readonly others: readonly Gauge[];
  readonly mail: QueueFigures;
  readonly webhooks: QueueFigures;
}

/** A figure of one value, a gauge where nothing else is said. Its labels are words of ours. */
export interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly value: number;
  readonly type?: "gauge" | "counter";
  readonly labels?: Readonly<Record<string, string>>;
}

/** The outcomes of a queue's messages since the start, and the number of those that wait. */
export interface QueueFigures {
  readonly totals: Readonly<Record<string, number>>;
  readonly waiting: number;
}

/** One route's requests. Its label is the route's pattern, so that a caller cannot make new series. */
export class RouteMetrics {
  readonly byStatus = new Map<number, number>();
  readonly byDuration = new Uint32Array(durationBuckets.length + 1);
  seconds = 0;

  constructor(
    readonly method: string,
    readonly route: string,
  ) {}

  observe(status: number, seconds: number): void {
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1);
    let bucket = 0;
    while (bucket < durationBuckets.length && seconds > durationBuckets[bucket]) bucket++;
    this.byDuration[bucket] += 1;
    this.seconds += seconds;
  }
}

/** The counters behind `/metrics`, all in memory, all since the start of the process. */
export class Metrics {
  #routes = new Map<string, RouteMetrics>();
  #ingested = 0;
  #filtered = new Map<string, number>();
  liveConnections = 0;

  /** The counters of one route; asked for once, when it is mounted. */
  route(method: string, pattern: string): RouteMetrics {
    const key = `${method} ${pattern}`;
    const found = this.#routes.get(key) ?? new RouteMetrics(method, pattern);
    this.#routes.set(key, found);
    return found;
  }

  countIngested(events: number): void {
    this.#ingested += events;
  }

  countFiltered(category: string, events: number): void {
    this.#filtered.set(category, (this.#filtered.get(category) ?? 0) + events);
  }

  /** Writes the Prometheus text format 0.0.4. */
  render(gauges: Gauges): string {
    const routes = [...this.#routes.values()];
    return [
      ...family(
        "sightline_http_requests_total",
        "counter",
        "Answered requests.",
        requestLines(routes),
      ),
      ...family(
        "sightline_http_request_duration_seconds",
        "histogram",
        "Time from a request's arrival to its response.",
        durationLines(routes),
      ),
      ...single("sightline_events_ingested_total", "counter", "Accepted events.", this.#ingested),
      ...family(
        "sightline_events_filtered_total",
        "counter",
        "Events from automated requests, by category.",
        [...this.#filtered].map(
          ([category, count]) => `sightline_events_filtered_total${labels({ category })} ${count}`,
        ),
      ),
      ...single(
        "sightline_ingest_queue_depth",
        "gauge",
        "Events waiting for their commit.",
        gauges.queuedEvents,
      ),
      ...single(
        "sightline_live_connections",
        "gauge",
        "Open streams and sockets.",
        gauges.liveConnections,
      ),
      ...single(
        "sightline_storage_errors_total",
        "counter",
        "Storage failures.",
        gauges.storageErrors,
      ),
      ...insertLines(gauges.inserts),
      ...queueLines("sightline_mail", "Messages to people", "sightline_mail_total", gauges.mail),
      ...queueLines(
        "sightline_webhook",
        "Messages to webhooks",
        "sightline_webhook_deliveries_total",
        gauges.webhooks,
      ),
      ...gauges.others.flatMap((gauge, at) => gaugeLines(gauge, gauges.others[at - 1])),
      "",
    ].join("\n");
  }
}

type Kind = "counter" | "gauge" | "histogram";

const family = (name: string, kind: Kind, help: string, lines: readonly string[]): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${kind}`,
  ...lines,
];

const single = (name: string, kind: Kind, help: string, value: number): string[] =>
  family(name, kind, help, [`${name} ${value}`]);

function gaugeLines(
  { name, help, value, type = "gauge", labels: ofGauge }: Gauge,
  before: Gauge | undefined,
): string[] {
  const line = `${name}${ofGauge ? labels(ofGauge) : ""} ${value}`;
  return before?.name === name ? [line] : family(name, type, help, [line]);
}

function queueLines(prefix: string, what: string, total: string, figures: QueueFigures): string[] {
  const states = Object.entries(figures.totals);
  return [
    ...family(
      total,
      "counter",
      `${what}, by the outcome of a try.`,
      states.map(([state, tries]) => `${total}${labels({ state })} ${tries}`),
    ),
    ...single(`${prefix}_queue_depth`, "gauge", `${what} that wait.`, figures.waiting),
  ];
}

function insertLines(inserts: InsertFigures | undefined): string[] {
  if (inserts === undefined) return [];
  const name = "sightline_clickhouse_insert";
  return [
    ...single(`${name}s_total`, "counter", "Inserts into ClickHouse.", inserts.count),
    ...single(
      `${name}_seconds_total`,
      "counter",
      "Duration of inserts into ClickHouse.",
      inserts.seconds,
    ),
    ...single(
      `${name}_retries_total`,
      "counter",
      "Retried inserts into ClickHouse.",
      inserts.retries,
    ),
  ];
}

function requestLines(routes: readonly RouteMetrics[]): string[] {
  return routes.flatMap(({ method, route, byStatus }) =>
    [...byStatus].map(
      ([status, count]) =>
        `sightline_http_requests_total${labels({ method, route, status: String(status) })} ${count}`,
    ),
  );
}

function durationLines(routes: readonly RouteMetrics[]): string[] {
  const name = "sightline_http_request_duration_seconds";
  return routes.flatMap(({ method, route, byDuration, seconds }) => {
    let count = 0;
    const buckets = [...byDuration].map((inBucket, index) => {
      count += inBucket;
      const le = String(durationBuckets[index] ?? "+Inf");
      return `${name}_bucket${labels({ method, route, le })} ${count}`;
    });
    if (count === 0) return [];
    const of = labels({ method, route });
    return [...buckets, `${name}_sum${of} ${seconds}`, `${name}_count${of} ${count}`];
  });
}

function labels(values: Readonly<Record<string, string>>): string {
  const parts = Object.entries(values).map(([name, value]) => {
    // Every label value is a word of ours; one that would need escaping is a mistake of ours.
    assert(!/["\\\n]/.test(value), "a label value has no quote, backslash or line feed");
    return `${name}="${value}"`;
  });
  return `{${parts.join(",")}}`;
}
