import { ApiError } from "../../domain/errors";
import type { Deps } from "../../http/deps";
import { isLocal } from "../../http/edge/address";
import type { Gauge } from "../../http/edge/metrics";
import { reply } from "../../http/edge/reply";
import type { Feature } from "../../http/feature";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { publicOperation } from "../../http/operation/public-operation";
import { clock } from "../../lib/clock";
import { equalInConstantTime } from "../../lib/ids";
import { version } from "../../version";
import { backupGauges } from "./backup-gauges";
import { conditionGauges } from "./condition-gauges";
import { diskGauges } from "./disk-gauges";
import { processGauges } from "./process-gauges";
import { Health, NotReady, Ready } from "./schema";

const tag = "Service";

/** The operations that tell whether the service lives, can work, and what it has done. */
export const serviceFeature = (deps: Deps): Feature => ({
  operations: [livenessRoute, readinessRoute(deps), metricsRoute(deps)],
});

const livenessRoute = publicOperation("GET /health", {
  access: free("none"),
  isLenient: true,
  isQuiet: true,
  doc: {
    id: "getHealth",
    summary: "Check that the process responds",
    description:
      "Responds while the process runs, without using storage. To check whether events can be stored, ask " +
      "/health/ready.",
    tag,
  },
  takes: nothing,
  returns: { 200: Health },
  handle: () => ({ status: "ok", service: "sightline", version }),
});

const readinessRoute = (deps: Deps) =>
  publicOperation("GET /health/ready", {
    access: free("none"),
    isLenient: true,
    isQuiet: true,
    doc: {
      id: "getReadiness",
      summary: "Check that the service can store and read",
      description:
        "503 while events or recordings cannot be stored: the disk is full or broken (`storage`), the oldest " +
        "waits more than 5 seconds for its commit, or too many events wait (`queue`). The service then " +
        "recovers automatically; send events again after a second. It needs an operator if stored data is " +
        "damaged (`storage`), the clock may be wrong (`clock`), or the disk is full (`disk`). A project that " +
        "sends too many events gets 503 and delays its own events: that is no failure of the service.",
      tag,
    },
    takes: nothing,
    returns: { 200: Ready, 503: NotReady },
    handle: () => {
      const events = deps.store.health();
      const recordings = deps.replays.health();
      const isWhole =
        deps.control.damage.isEmpty && !deps.fileCheck.foundDamage && recordings.storage === "ok";
      const storage = isWhole ? events.storage : "failed";
      const queue = recordings.queue === "ok" ? events.queue : "failed";
      const time: Check = deps.trustedTime.isTrusted() ? "ok" : "failed";
      const disk: Check = deps.disk.isFull ? "failed" : "ok";
      const checks = { storage, queue, clock: time, disk };
      const isReady = Object.values(checks).every((check) => check === "ok");
      return isReady ? { status: "ok", checks } : reply(503, { status: "unavailable", checks });
    },
  });

const metricsRoute = (deps: Deps) =>
  publicOperation("GET /metrics", {
    access: free("none"),
    isLenient: true,
    isQuiet: true,
    doc: {
      id: "getMetrics",
      summary: "Get Prometheus metrics",
      description:
        "Requests, durations, events and failures since the start, in Prometheus text format 0.0.4. If " +
        "METRICS_TOKEN is set, send it as `Authorization: Bearer`; otherwise only this machine has access.",
      tag,
      errors: ["AUTH_REQUIRED", "INVALID_TOKEN", "NOT_FOUND"],
      produces: metricsType,
    },
    takes: nothing,
    returns: {},
    handle: async ({ request }) => {
      requireMetricsAccess(deps, request);
      const { queuedEvents, storageErrors: ofEvents, inserts } = deps.store.health();
      const storageErrors = ofEvents + deps.replays.health().storageErrors;
      const { liveConnections } = deps.metrics;
      const ofProcess = processGauges(deps.server.certificateEndsAtMs());
      const ofBackups = await backupGauges(deps);
      const ofServer = [...conditionGauges(deps), ...(await diskGauges(deps))];
      const others = [
        ...ofProcess,
        alertsFiring(deps),
        ...ofServer,
        ...ofBackups,
        erasuresRunning(deps),
      ];
      const { queued: waiting } = deps.control.mail.counts(clock.nowMs());
      const mail = { totals: deps.mail.totals, waiting };
      const webhooks = { totals: deps.webhooks.totals, waiting: deps.control.deliveries.waiting() };
      const stored = { queuedEvents, storageErrors, inserts };
      const gauges = { ...stored, liveConnections, others, mail, webhooks };
      const text = deps.metrics.render(gauges);
      return new Response(text, {
        headers: { "content-type": metricsType, "cache-control": "no-store" },
      });
    },
  });

const erasuresRunning = ({ erasures }: Deps): Gauge => ({
  name: "sightline_erasures_running",
  help: "People who are being erased.",
  value: erasures.running,
});

const alertsFiring = ({ control }: Deps): Gauge => ({
  name: "sightline_alerts_firing",
  help: "Alerts that fire now.",
  value: control.alerts.firing(),
});

type Check = "ok" | "failed";

const metricsType = "text/plain; version=0.0.4; charset=utf-8";

/** Without a token the metrics are for this machine only, and for others they do not exist. */
function requireMetricsAccess({ config, server }: Deps, request: Request): void {
  if (config.metricsToken === null) {
    if (isLocal(server.peerOf(request), request.headers)) return;
    throw new ApiError(
      "NOT_FOUND",
      "This path does not exist. GET /openapi.json lists all operations.",
    );
  }
  const sent = request.headers.get("authorization");
  if (sent === null) {
    throw new ApiError(
      "AUTH_REQUIRED",
      "Send the server's METRICS_TOKEN as Authorization: Bearer.",
    );
  }
  const token = /^Bearer +(\S+)$/i.exec(sent)?.[1] ?? "";
  if (!equalInConstantTime(token, config.metricsToken)) {
    throw new ApiError("INVALID_TOKEN", "The token is not this server's METRICS_TOKEN.");
  }
}
