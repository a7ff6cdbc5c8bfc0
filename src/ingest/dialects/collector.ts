import { type ApiError, errorStatus } from "../../domain/errors";
import type { Deps } from "../../http/deps";
import type { Peer } from "../../http/edge/address";
import type { KnownSource } from "../../store/control/source-directory";
import type { CountryOf } from "../country";
import { isRefusal, type Refusal, refusal } from "../refusal";
import type { NotNow } from "../submission";
import type { Tally } from "../tally";
import { type Addressed, Delivery } from "./delivery";
import type {
  Answer,
  CollectingEndpoint,
  Dialect,
  ForeignItem,
  ForeignRequest,
  ItemVerdict,
} from "./dialect";
import type { ItemContext } from "./steps/context";
import { submissionOf } from "./steps/steps";
import { OpenSessions } from "./visitors/open-sessions";
import { RestoredSessions } from "./visitors/restored-sessions";
import { VisitorIds } from "./visitors/visitor-ids";

const itemsPerRequestMax = 500;

/** A request with what the route found out: the source that its address names, and who sent it. */
export interface Call {
  readonly dialect: Dialect;
  readonly endpoint: CollectingEndpoint;
  readonly request: ForeignRequest;
  /** Null at the root, where each item says whose it is. */
  readonly source: KnownSource | null;
  readonly headers: Headers;
  readonly peer: Peer;
}

/** Takes foreign requests from their items to the commit, and answers in their own words. */
export class Collector {
  readonly #visitorIds: VisitorIds;
  readonly #sessions = new OpenSessions();
  readonly #restored: RestoredSessions;

  constructor(
    private readonly deps: Deps,
    private readonly countryOf: CountryOf,
    private readonly tally: Tally,
  ) {
    this.#visitorIds = new VisitorIds(deps.control.visitorKeys);
    this.#restored = new RestoredSessions(deps.store, this.#sessions);
  }

  /** Answers after the commit. Throws ApiError where the request can be sent again later. */
  async collect(call: Call): Promise<Answer> {
    const { dialect, endpoint, request } = call;
    const items = endpoint.read(request);
    if (isRefusal(items)) return this.#refuseWhole(call, items);
    if (items.length > itemsPerRequestMax) return this.#refuseWhole(call, tooManyItems);
    const verdicts = await this.#deliver(call, items);
    const refused = firstRefusal(verdicts);
    if (refused === null) return endpoint.answer(verdicts, request);
    const status = errorStatus[refused.code];
    const isAnswered = endpoint.answersRefused === true && status === errorStatus.MISSING_FIELDS;
    return isAnswered
      ? endpoint.answer(verdicts, request)
      : dialect.refuse({ refusal: refused, status }, request);
  }

  async #deliver(call: Call, items: readonly ForeignItem[]): Promise<readonly ItemVerdict[]> {
    const { dialect } = call;
    this.#sessions.tidy(call.request.receivedAtMs);
    await this.#restore(call, items);
    const delivery = new Delivery(this.deps, this.tally, this.#sessions);
    const judged: Judged[] = [];
    try {
      const contextOf = perSource((source: KnownSource) => this.#contextOf(call, source));
      for (const item of items) judged.push(this.#judge(call, item, { delivery, contextOf }));
      refuseForNow(judged, delivery);
      await delivery.store();
    } finally {
      delivery.release();
    }
    for (const one of judged) this.#count(one, call);
    return judged.map(({ of }) => toldOf(dialect, of));
  }

  async #restore(call: Call, items: readonly ForeignItem[]): Promise<void> {
    for (const item of call.source === null ? items : items.slice(0, 1)) {
      for (const { project } of this.#sourcesOf(call, item)) {
        const reading = this.#restored.ready(project, call.request.receivedAtMs);
        if (reading !== null) await reading;
      }
    }
  }

  /** Judges an item for each project that it is for. */
  #judge(call: Call, item: ForeignItem, { delivery, contextOf }: Judging): Judged {
    const { content } = item;
    const of = this.#sourcesOf(call, item).map((source): Fate => {
      if (content.kind === "unsupported") return { source, verdict: "unsupported" as const };
      if (content.kind === "refused") return { source, verdict: content };
      const submission = submissionOf(content, source.project, contextOf(source));
      if (isRefusal(submission)) return { source, verdict: submission };
      const addressed: Addressed = { item: content, submission };
      return { source, verdict: delivery.judge(addressed) };
    });
    return { of, isEvent: content.kind === "event" };
  }

  #sourcesOf({ source, dialect: { kind } }: Call, { keys }: ForeignItem): readonly KnownSource[] {
    if (source !== null) return [source];
    const known = keys.map((key) => this.deps.control.sourceByKey(kind, key));
    return [...new Set(known.filter((one) => one !== undefined))];
  }

  #contextOf({ dialect, request, headers, peer }: Call, { project }: KnownSource): ItemContext {
    const { receivedAtMs } = request;
    return {
      origin: headers.get("origin"),
      requestAgent: headers.get("user-agent"),
      judgesServers: dialect.judgesServers,
      country: () => this.countryOf(peer, headers),
      excludedSender: (country) => project.exclusions?.ofSender(peer.address, country) ?? null,
      visitorId: (agent, host, timeMs) => {
        const sender = { projectId: project.id, address: peer.address ?? "", agent, host };
        const isOpen = (id: string): boolean => this.#sessions.isOpen(project.id, id, timeMs);
        return this.#visitorIds.idOf(sender, receivedAtMs, isOpen);
      },
      receivedAtMs,
    };
  }

  #count({ of, isEvent }: Judged, { request: { receivedAtMs }, headers }: Call): void {
    const { sourceCounts } = this.deps;
    for (const { source, verdict } of of) {
      if (verdict === "accepted") sourceCounts.addAccepted(source.id, isEvent, receivedAtMs);
      else if (verdict === "filtered") sourceCounts.addFiltered(source.id, receivedAtMs);
      else if (verdict === "unsupported") sourceCounts.addUnsupported(source.id, receivedAtMs);
      else if (verdict.kind === "not now")
        sourceCounts.addRefused(source.id, { code: verdict.error.code, field: null }, receivedAtMs);
      else this.countRefused(source, verdict, headers, receivedAtMs);
    }
  }

  countRefused(
    { id, project }: KnownSource,
    refused: Refusal,
    headers: Headers,
    receivedAtMs: number,
  ): void {
    const { code, field = null } = refused;
    this.deps.sourceCounts.addRefused(id, { code, field }, receivedAtMs);
    const arrival = { project, origin: headers.get("origin"), receivedAtMs };
    this.tally.noteRefused(arrival, code, field);
  }

  #refuseWhole(call: Call, refused: Refusal): Answer {
    const { dialect, request, source, headers } = call;
    if (source !== null) this.countRefused(source, refused, headers, request.receivedAtMs);
    return dialect.refuse({ refusal: refused, status: errorStatus[refused.code] }, request);
  }
}

interface Judging {
  readonly delivery: Delivery;
  contextOf(source: KnownSource): ItemContext;
}

/** Makes a value for a source when it is first asked for. */
function perSource<Value>(make: (source: KnownSource) => Value): (source: KnownSource) => Value {
  const made = new Map<string, Value>();
  return (source) => {
    const value = made.get(source.id) ?? make(source);
    made.set(source.id, value);
    return value;
  };
}

/** The outcome of an item in one of its projects. */
interface Fate {
  readonly source: KnownSource;
  readonly verdict: ItemVerdict | NotNow;
}

/** An item with its fates: none where no project of this server has one of its keys. */
interface Judged {
  readonly of: readonly Fate[];
  readonly isEvent: boolean;
}

/**
 * Throws the error of a project that may not take an item now, so that all of the request is sent again; unless
 * another project takes what is its own, which must not wait for the first one's next minute or month.
 */
function refuseForNow(judged: readonly Judged[], delivery: Delivery): void {
  let error: ApiError | null = null;
  const shut = new Set<string>();
  for (const { of } of judged) {
    if (of.some(({ verdict }) => typeof verdict === "string")) continue;
    for (const { source, verdict } of of) {
      if (typeof verdict === "string" || verdict.kind !== "not now") continue;
      error ??= verdict.error;
      shut.add(source.project.id);
    }
  }
  if (error !== null && !delivery.takesBeside(shut)) throw error;
}

/** Tells the sender of an item: it is as good as the best of what becomes of it. */
function toldOf(dialect: Dialect, of: readonly Fate[]): ItemVerdict {
  const verdicts = of.map(({ verdict }) => verdict);
  for (const verdict of verdicts) if (typeof verdict === "string") return verdict;
  const [first = unknownKey] = verdicts;
  if (typeof first === "string") return first;
  return timeInWordsOf(dialect, first.kind === "not now" ? refusalOf(first.error) : first);
}

/** A refused time names the field that the client sends, and not the one of /track. */
function timeInWordsOf({ time }: Dialect, verdict: Refusal): Refusal {
  if (verdict.code !== "INVALID_TIMESTAMP" || time === undefined) return verdict;
  if (verdict.field === "sent_at")
    return refusal("INVALID_TIMESTAMP", `The time of sending must be ${time.form}.`, "sent_at");
  const window = "at most 30 days in the past and 5 minutes in the future";
  const message = `"${time.field}" must be a time ${window}, as ${time.form}.`;
  return refusal("INVALID_TIMESTAMP", message, time.field);
}

/** The refusal of a request whose items are all refused; null where any was not, and where there are none. */
function firstRefusal(verdicts: readonly ItemVerdict[]): Refusal | null {
  const [first = null] = verdicts;
  if (first === null || typeof first === "string") return null;
  return verdicts.every((verdict) => typeof verdict !== "string") ? first : null;
}

/** The refusal that an error stands for. */
export const refusalOf = ({ code, message, extras: { field } }: ApiError): Refusal =>
  refusal(code, message, field);

const unknownKey = refusal(
  "INVALID_TOKEN",
  "No source of this server has this key. Add it to a project, or use the source's own url.",
);
const tooManyItems = refusal(
  "PAYLOAD_TOO_LARGE",
  `A request may have at most ${itemsPerRequestMax} items. Send fewer at once.`,
);
