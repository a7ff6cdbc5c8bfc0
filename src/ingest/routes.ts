import type { Deps } from "../http/deps";
import type { ForeignDocument } from "../http/foreign/document";
import type { ForeignRoute } from "../http/foreign/route";
import { free } from "../http/operation/facts";
import type { Operation } from "../http/operation/operation";
import { ingestOperation } from "../http/operation/public-operation";
import { parseKeepingTexts } from "../lib/object-text";
import { answerTo } from "./answer";
import { AutomatedCounts } from "./automated-counts";
import { openCountries } from "./country";
import { Collector } from "./dialects/collector";
import { dialectDocuments } from "./dialects/documents";
import { foreignRoutes } from "./dialects/routes";
import { IngestService } from "./ingest-service";
import { parseUnlessRefused } from "./lazy-body";
import type { Refusal } from "./refusal";
import { replayIngestRoutes } from "./replays/routes";
import {
  IdentifyRequest,
  TrackAnswer,
  TrackBatchAnswer,
  TrackBatchRequest,
  TrackRequest,
} from "./schema";
import { shapeBatch, shapeEvent, shapeIdentity } from "./shape";
import type { SubmittedBody } from "./submission";
import { Tally } from "./tally";
import { testEventRoute } from "./test-event";

export interface Ingest {
  readonly operations: readonly Operation[];
  /** The paths of other products' clients. */
  readonly foreign: readonly ForeignRoute[];
  readonly foreignDocuments: readonly ForeignDocument[];
  /** Writes the counts gathered in memory. Called before the store closes. */
  close(): Promise<void>;
}

/** Opens the country database (ConfigError when GEOIP_DB is unusable) and mounts what takes events in. */
export function openIngest(deps: Deps): Ingest {
  const counts = new AutomatedCounts((entries) => deps.store.append(entries));
  const tally = new Tally(deps, counts);
  const countryOf = openCountries(deps.config);
  const ingest = new IngestService(deps, countryOf, tally);
  const operations = [
    trackRoute(deps, ingest),
    trackBatchRoute(deps, ingest),
    identifyRoute(deps, ingest),
    testEventRoute(deps, ingest),
    ...replayIngestRoutes(deps, countryOf),
  ];
  const foreign = foreignRoutes(deps, new Collector(deps, countryOf, tally));
  const foreignDocuments = dialectDocuments;
  return { operations, foreign, foreignDocuments, close: () => counts.close() };
}

const errors = [
  "INVALID_BODY",
  "MISSING_FIELDS",
  "PROPERTIES_TOO_LARGE",
  "INVALID_TOKEN",
  "ORIGIN_NOT_ALLOWED",
  "PAYLOAD_TOO_LARGE",
  "RATE_LIMITED",
  "UNAVAILABLE",
] as const;

/**
 * Most of what is sent is properties of events, and most of these need not be taken apart. Traits must be, at any
 * depth, so /identify does without.
 */
const keepProperties = (text: string): unknown => parseKeepingTexts(text, "properties");

/** Returns the function by which an operation parses its body. */
function parserOf({ control }: Deps, shape: Shape, parse: (text: string) => unknown) {
  const isKnown = (token: string): boolean => control.projectByToken(token) !== undefined;
  return (text: string): unknown => parseUnlessRefused(text, shape, isKnown, parse);
}
type Shape = (json: unknown) => SubmittedBody | Refusal;

const trackRoute = (deps: Deps, ingest: IngestService) =>
  ingestOperation("POST /track", {
    access: free("token"),
    isQuiet: true,
    doc: {
      id: "track",
      summary: "Store one event",
      description:
        "Responds after the commit: the event is durable and visible to all reads. The project's public token " +
        "in the body is the credential; any content type works. `queued: false` means that the User-Agent is " +
        "automated (`actor` names it), like the defaults of curl and most HTTP libraries: send your own, such " +
        "as `my-shop/1.0`. With an `event_id`, you can safely repeat a request.",
      tag: "Ingestion",
      errors: [...errors, "INVALID_TIMESTAMP"],
    },
    takes: TrackRequest,
    parse: parserOf(deps, shapeEvent, keepProperties),
    returns: { 202: TrackAnswer },
    handle: async ({ request, peer, json }) => {
      const sender = { headers: request.headers, peer };
      const { aside } = await ingest.receive(json, shapeEvent(json), sender);
      return answerTo(aside);
    },
  });

const trackBatchRoute = (deps: Deps, ingest: IngestService) =>
  ingestOperation("POST /track/batch", {
    access: free("token"),
    isQuiet: true,
    doc: {
      id: "trackBatch",
      summary: "Store up to 100 events of one project",
      description:
        "Stores all events or none: if one is invalid, the batch is refused and `index` of the error names the " +
        "event. Responds after the commit, like POST /track.",
      tag: "Ingestion",
      errors: [...errors, "INVALID_TIMESTAMP", "BATCH_TOO_LARGE", "MIXED_TOKENS"],
    },
    takes: TrackBatchRequest,
    parse: parserOf(deps, shapeBatch, keepProperties),
    returns: { 202: TrackBatchAnswer },
    handle: async ({ request, peer, json }) => {
      const body = shapeBatch(json);
      const { aside, count } = await ingest.receive(json, body, { headers: request.headers, peer });
      return { ...answerTo(aside), count };
    },
  });

const identifyRoute = (deps: Deps, ingest: IngestService) =>
  ingestOperation("POST /identify", {
    access: free("token"),
    isQuiet: true,
    doc: {
      id: "identify",
      summary: "Link two user ids to one user",
      description:
        "Past and future events with previous_id count for user_id. Responds when all reads see the link. " +
        "Equal ids with traits only update the profile. A project with `identify: servers` ignores calls from " +
        "browsers, with `reason: identify_off`.",
      tag: "Ingestion",
      errors,
    },
    takes: IdentifyRequest,
    parse: parserOf(deps, shapeIdentity, JSON.parse),
    returns: { 202: TrackAnswer },
    handle: async ({ request, peer, json }) => {
      const sender = { headers: request.headers, peer };
      const { aside } = await ingest.receive(json, shapeIdentity(json), sender);
      return answerTo(aside);
    },
  });
