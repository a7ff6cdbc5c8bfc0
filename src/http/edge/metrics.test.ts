import { describe, expect, test } from "bun:test";
import { Metrics } from "./metrics";

const mail = { totals: { sent: 4, delayed: 1, failed: 0 }, waiting: 9 };
const gauges = {
  ...{ queuedEvents: 7, storageErrors: 2, liveConnections: 3 },
  ...{ inserts: undefined, others: [], mail, webhooks: { totals: { delivered: 3 }, waiting: 8 } },
};

describe("the metrics", () => {
  test("have every documented name from the start, each with its type", () => {
    const text = new Metrics().render(gauges);
    for (const [name, kind] of [
      ["sightline_http_requests_total", "counter"],
      ["sightline_http_request_duration_seconds", "histogram"],
      ["sightline_events_ingested_total", "counter"],
      ["sightline_events_filtered_total", "counter"],
      ["sightline_ingest_queue_depth", "gauge"],
      ["sightline_live_connections", "gauge"],
      ["sightline_storage_errors_total", "counter"],
      ["sightline_mail_total", "counter"],
      ["sightline_mail_queue_depth", "gauge"],
      ["sightline_webhook_deliveries_total", "counter"],
      ["sightline_webhook_queue_depth", "gauge"],
    ]) {
      expect(text).toContain(`# TYPE ${name} ${kind}\n`);
    }
    expect(text).toContain("\nsightline_ingest_queue_depth 7\n");
    expect(text).toContain("\nsightline_storage_errors_total 2\n");
    expect(text).toContain("\nsightline_live_connections 3\n");
    expect(text).toContain('\nsightline_mail_total{state="sent"} 4\n');
    expect(text).toContain("\nsightline_mail_queue_depth 9\n");
    expect(text).toContain('\nsightline_webhook_deliveries_total{state="delivered"} 3\n');
    expect(text).toContain("\nsightline_webhook_queue_depth 8\n");
    expect(text.endsWith("\n")).toBe(true);
  });

  test("have inserts, their time and their retries where events are stored over a network", () => {
    expect(new Metrics().render(gauges)).not.toContain("clickhouse");
    const inserts = { count: 5, seconds: 0.25, retries: 1 };
    const text = new Metrics().render({ ...gauges, inserts });
    expect(text).toContain("\nsightline_clickhouse_inserts_total 5\n");
    expect(text).toContain("\nsightline_clickhouse_insert_seconds_total 0.25\n");
    expect(text).toContain("\nsightline_clickhouse_insert_retries_total 1\n");
  });

  test("have the gauges of others at the end, with their labels", () => {
    const others = [
      { name: "process_open_fds", help: "Open file descriptors.", value: 12 },
      { name: "sightline_build_info", help: "Versions.", value: 1, labels: { version: "0.1.0" } },
    ];
    const text = new Metrics().render({ ...gauges, others });
    expect(text).toEndWith(
      "# TYPE process_open_fds gauge\nprocess_open_fds 12\n" +
        "# HELP sightline_build_info Versions.\n# TYPE sightline_build_info gauge\n" +
        'sightline_build_info{version="0.1.0"} 1\n',
    );
  });

  test("count requests by route and status, and add up durations", () => {
    const metrics = new Metrics();
    const route = metrics.route("GET", "/projects/{id}");
    route.observe(200, 0.001);
    route.observe(200, 0.002);
    route.observe(404, 11);
    expect(metrics.route("GET", "/projects/{id}")).toBe(route);
    const text = metrics.render(gauges);
    const of = 'method="GET",route="/projects/{id}"';
    expect(text).toContain(`sightline_http_requests_total{${of},status="200"} 2\n`);
    expect(text).toContain(`sightline_http_requests_total{${of},status="404"} 1\n`);
    const bucket = (le: string, count: number) =>
      `sightline_http_request_duration_seconds_bucket{${of},le="${le}"} ${count}\n`;
    expect(text).toContain(bucket("0.001", 1));
    expect(text).toContain(bucket("0.0025", 2));
    expect(text).toContain(bucket("10", 2));
    expect(text).toContain(bucket("+Inf", 3));
    expect(text).toContain(`sightline_http_request_duration_seconds_count{${of}} 3\n`);
    expect(text).toContain(`sightline_http_request_duration_seconds_sum{${of}} 11.003\n`);
  });

  test("count events that were accepted, and those set aside by category", () => {
    const metrics = new Metrics();
    metrics.countIngested(100);
    metrics.countIngested(1);
    metrics.countFiltered("ai_agent", 2);
    metrics.countFiltered("ai_agent", 3);
    const text = metrics.render(gauges);
    expect(text).toContain("\nsightline_events_ingested_total 101\n");
    expect(text).toContain('\nsightline_events_filtered_total{category="ai_agent"} 5\n');
  });

  test("take no label value that could break the format", () => {
    const metrics = new Metrics();
    metrics.countFiltered('a"b', 1);
    expect(() => metrics.render(gauges)).toThrow("label");
  });
});
