import { ApiError, invalidField } from "../../domain/errors";
import { pageSizeOfText } from "../../domain/page-size";
import { todayIn } from "../../domain/period";
import { zoneOfRead } from "../../domain/time-zone-name";
import { shownLive } from "../../domain/trust/mask";
import { showsPeople } from "../../http/auth/rights";
import type { Deps } from "../../http/deps";
import type { Peer } from "../../http/edge/address";
import { asksForSocket, Upgrade } from "../../http/edge/socket";
import { type AboutProject, aboutProject } from "../../http/operation/about-project";
import { pro } from "../../http/operation/facts";
import type { Operation } from "../../http/operation/operation";
import { clock, secondMs } from "../../lib/clock";
import { wireJson } from "../../lib/wire-json";
import type { Project } from "../../store/control/project-selector";
import {
  admitLater,
  liveOperation,
  socketAccess,
  socketName,
  socketOperation,
  streamOperation,
} from "./admission";
import { type Admission, credentialOf, type Hub } from "./authorization";
import { Broadcasts, policyNow } from "./broadcast";
import { Connections } from "./connections";
import { EventStream } from "./event-stream";
import { liveExample } from "./examples";
import { LiveSocket } from "./live-socket";
import {
  LiveQuery,
  LiveResponse,
  liveRecentMax,
  liveWindowSecondsDefault,
  SocketMessage,
  SocketQuery,
  StreamQuery,
  socketSnapshotSecondsMax,
  socketSnapshotSecondsMin,
} from "./schema";
import { type Snapshot, snapshotOf } from "./snapshot";
import { type Subscription, subscriptionOfQuery } from "./subscription";

export interface Live {
  readonly operations: readonly Operation[];
  /** Tells all who listen that the server stops. */
  hangUp(): void;
}

/** Opens the live reads: a snapshot, server-sent events and WebSockets, all from memory. */
export function openLive(deps: Deps, lookEveryMs: number): Live {
  const connections = new Connections(deps, lookEveryMs);
  const hub: Hub = { deps, connections, broadcasts: new Broadcasts(deps) };
  const operations = [liveRoute(deps), streamRoute(hub), socketRoute(hub)];
  return { operations, hangUp: () => connections.endAll("shutdown") };
}

const liveRoute = (deps: Deps) =>
  liveOperation("GET /live", {
    access: pro("live:read", "RD"),
    // It shows the last events one by one.
    shares: { page: "events", isUnfiltered: true },
    doc: {
      id: "getLive",
      summary: "Get a live snapshot",
      description:
        "Visitors, sessions, pages, events and countries of the last seconds by the events' own time, and the " +
        "last events received. From memory: events received in the last 5 minutes, at most 10,000; empty after " +
        "a restart. GET /stream sends each event when it is stored.",
      tag: "Live",
      example: liveExample,
      errors: ["NOT_FOUND"],
    },
    takes: LiveQuery,
    returns: { 200: LiveResponse },
    handle: ({ caller, project, input }) => {
      const zone = zoneOfRead(input.tz, project);
      deps.usage.countRead(caller, project.id);
      const { window: seconds = liveWindowSecondsDefault } = input;
      const shown = snapshot(deps, project, seconds, clock.nowMs(), { ...input, zone });
      return showsPeople(caller) ? shown : withoutEvents(shown);
    },
  });

/** For a member who may not see single visitors. */
const withoutEvents = ({ answer }: ReturnType<typeof snapshot>): ReturnType<typeof snapshot> => ({
  answer: { ...answer, recent_events: [] },
  flagged: [],
});

const streamRoute = (hub: Hub) =>
  streamOperation("GET /stream", {
    access: pro("live:read", "R", { people: true }),
    isStream: true,
    doc: {
      id: "streamEvents",
      summary: "Stream events as server-sent events",
      description:
        "First an event `connected`, whose `untrusted` names the fields that anyone can send; then an event " +
        "`track` for each matching stored event, a comment every 30 seconds, and an event `disconnect` with " +
        "its `reason` (`inactivity`, `revoked`, `plan`, `project_deleted`, `shutdown`) before the server " +
        "closes. The server disconnects clients that are more than 1,000 events behind. At most 10 streams and " +
        "sockets are open per account.",
      tag: "Live",
      headers: { "Last-Event-ID": "The server first sends the buffered events after this one." },
      produces: "text/event-stream",
      errors: ["NOT_FOUND", "STREAM_LIMIT", "CSRF_FAILED"],
    },
    takes: StreamQuery,
    returns: {},
    handle: ({ request, caller, project, input }) => {
      const subscription = subscriptionOfQuery(input);
      const lastId = request.headers.get("last-event-id");
      const known = { caller, credential: credentialOf(request), project, subscription };
      const stream = letIn(
        hub,
        known,
        (admission) => new EventStream(hub, request, admission, lastId),
      );
      return new Response(stream.body, {
        headers: { "content-type": "text/event-stream", "x-accel-buffering": "no" },
      });
    },
  });

function socketRoute(hub: Hub) {
  const snapshotText = snapshotTexts(hub.deps);
  return socketOperation(socketName, {
    access: socketAccess,
    isStream: true,
    doc: {
      id: "openLiveSocket",
      summary: "Stream events over a WebSocket",
      description:
        "JSON text messages. The server sends `connected`, `track` for each event, `snapshot` (the body of GET " +
        "/live) if requested, `heartbeat`, `pong` and `error`. The client can send `subscribe` (with " +
        "`project`, `events` and `filter`, which replace the previous ones) and `ping`, at most 4 KiB. Without " +
        "a credential in the request, the first message must be `auth` with a `token`, within 5 seconds. Close " +
        "codes: 1001 shutdown, 4400 malformed message, 4401 not authenticated, 4403 no right, 4404 no such " +
        "project, 4408 inactivity, 4429 too many connections or too slow.",
      tag: "Live",
      errors: ["NOT_FOUND", "STREAM_LIMIT", "CSRF_FAILED"],
    },
    takes: SocketQuery,
    returns: { 101: SocketMessage },
    handle: ({ request, peer, input, known }) => {
      const subscription = subscriptionOfQuery(input);
      if (!asksForSocket(request)) {
        throw invalidField(
          "Upgrade",
          "This endpoint is a WebSocket. Send the headers of a WebSocket handshake.",
        );
      }
      return new Upgrade(
        new LiveSocket(hub, {
          ...admissionOf(hub, { request, peer, subscription, known, selector: input.project }),
          snapshot: snapshotText,
          snapshotSeconds: pageSizeOfText(input.snapshot, snapshotSeconds),
        }),
      );
    },
  });
}

const snapshotSeconds = {
  min: socketSnapshotSecondsMin,
  max: socketSnapshotSecondsMax,
  default: 0,
};

interface SocketRequest {
  readonly request: Request;
  peer(): Peer;
  readonly subscription: Subscription;
  readonly known: Pick<Admission, "caller" | "project"> | null;
  readonly selector: string | undefined;
}

/** Takes a place of the account and counts the read. What fails from then on gives the place back. */
function letIn<T>(hub: Hub, known: Omit<Admission, "release">, then: (made: Admission) => T): T {
  const release = hub.connections.reserve(known.caller.account.id);
  try {
    hub.deps.usage.countRead(known.caller, known.project.id);
    return then({ ...known, release });
  } catch (error) {
    release();
    throw error;
  }
}

function admissionOf(hub: Hub, { request, peer, subscription, known, selector }: SocketRequest) {
  const { deps, connections } = hub;
  const admitted = (who: Pick<Admission, "caller" | "project">, credential: Request): Admission =>
    letIn(hub, { ...who, credential, subscription }, (admission) => admission);
  const admit = (token: string): Admission => {
    const credential = requestWith(token);
    return admitted(admitLater(deps, credential, selector), credential);
  };
  if (known !== null) return { admission: admitted(known, credentialOf(request)), admit };
  const network = deps.rates.networkKey(peer().address);
  return { admission: null, admit, leaveUnknown: connections.reserveUnknown(network) };
}

/** Makes a request as if the token had come in a header. */
function requestWith(token: string): Request {
  if (!/^aa[ks]_\w+$/.test(token)) {
    throw new ApiError(
      "INVALID_TOKEN",
      "The token of the auth message must be an API key or an access token.",
    );
  }
  const headers: Record<string, string> = token.startsWith("aak_")
    ? { "x-api-key": token }
    : { authorization: `Bearer ${token}` };
  return new Request("http://localhost/live/ws", { headers });
}

/** The message that tells a snapshot. Sockets whose turn is at the same time get the same one. */
function snapshotTexts(deps: Deps): (project: Project, nowMs: number) => string {
  let last = { of: "", text: "" };
  return (project, nowMs) => {
    const { additions } = deps.feed.buffer;
    const of = `${project.id} ${nowMs} ${additions} ${deps.control.revision}`;
    if (of !== last.of) {
      const zone = zoneOfRead(null, project);
      const { answer: body } = snapshot(deps, project, liveWindowSecondsDefault, nowMs, { zone });
      last = { of, text: wireJson(JSON.stringify({ type: "snapshot", ...body })) };
    }
    return last.text;
  };
}

function snapshot(
  deps: Deps,
  project: Project,
  windowSeconds: number,
  nowMs: number,
  { zone, ...wanted }: { readonly context?: boolean; readonly zone: string | undefined },
): { readonly answer: AboutProject & Snapshot; readonly flagged: readonly string[] } {
  const { buffer } = deps.feed;
  const fromMs = nowMs - windowSeconds * secondMs;
  const dated = buffer.datedFrom(project.id, fromMs, nowMs);
  const received = buffer.receivedAfter(project.id, fromMs, liveRecentMax);
  const found = JSON.stringify(snapshotOf({ dated, received }, windowSeconds, nowMs));
  const { json, flagged } = shownLive(found, policyNow(deps, project.id));
  const shown: Snapshot = JSON.parse(json);
  return {
    answer: { ...aboutProject(deps, project, todayIn(zone, nowMs), wanted), ...shown },
    flagged,
  };
}
