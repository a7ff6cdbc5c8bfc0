import Type from "typebox";
import { definitionsVersion } from "../../domain/definitions-version";
import { dayOf, isoDate } from "../../domain/event";
import { IsoDate, IsoTime } from "../../domain/fields";
import { asSent, goalsIn } from "../../domain/filter-items";
import type { Goals } from "../../domain/goals/goals";
import { type Days, windowOf } from "../../domain/period";
import { firstStoredDate, type StoredDays } from "../../domain/retention";
import { timeZoneDefault } from "../../domain/time-zone-name";
import { sha256Hex } from "../../lib/ids";
import { ofOwner, ofVisitors, schema } from "../../lib/schema";
import { wireJson } from "../../lib/wire-json";
import { type DataRead, type Question, versionOf } from "./data-read";
import { type OperationName, splitName } from "./facts";
import { isObject, type Node } from "./input";
import { definitionsOf, inputWithIds } from "./receipt-goals";

/** The bytes of a receipt without its question; of a longer question it has the digest. */
const receiptBytesMax = 1_500;

type Fields = Readonly<Record<string, unknown>>;

const text = (description: string) => Type.String({ pattern: "^[ -~]*$", description });
const Digest = Type.String({ pattern: "^[0-9a-f]{64}$" });
const count = Type.Integer({ minimum: 0 });
const ofWhole = { description: "For the whole project; absent for shares with filters." };

/** The fields by which an answer can be checked, and made again. */
export const Receipt = schema(
  Type.Object(
    {
      definitions: text("Version of the definitions."),
      through: Type.Integer({
        description: "Includes all events acknowledged before this Unix ms.",
      }),
      data_version: Type.Optional(
        Type.Integer({
          description: "Increases with every change of the data. Absent for shares with filters.",
        }),
      ),
      request: Type.Object({
        method: Type.Enum(["GET", "POST"]),
        path: text("With ids instead of names."),
        query: Type.Optional(Type.Record(Type.String(), Type.Unknown(), ofOwner)),
        body: Type.Optional(Type.Record(Type.String(), Type.Unknown(), ofOwner)),
      }),
      window: Type.Union([
        Type.Object({ from: IsoDate, to: IsoDate, start: IsoTime, end: IsoTime }),
        Type.Null(),
      ]),
      retained_from: IsoDate,
      filters: Type.Unknown({
        ...ofVisitors,
        description: "As applied, with ids for looked-up users; `{sha256}` for long lists.",
      }),
      scanned: Type.Optional(Type.Object({ rows: count, segments: count }, ofWhole)),
      goals: Type.Optional(
        Type.Unknown({
          ...ofOwner,
          description: "The goals that the request names, as they were; `{sha256}` for long lists.",
        }),
      ),
      sampling: Type.Literal("none"),
      cuts: Type.Array(Type.Object({ what: Type.Enum(["groups", "rows"]), kept: count })),
      excluded: Type.Optional(Type.Object({ automated_requests: count }, ofWhole)),
      caveats: Type.Array(
        Type.Enum([
          "identities_may_merge",
          "retention_clips",
          "daily_visitor_ids",
          "imported_events",
          "imported_beside",
        ]),
      ),
      body_sha256: Digest,
    },
    { $id: "Receipt" },
  ),
);

/** The question, as it was checked. */
export interface AskedRead {
  readonly name: OperationName;
  readonly takes: Node;
  /** The input was in the query string. */
  readonly isQuery: boolean;
  readonly params: Readonly<Record<string, string>>;
  readonly input: unknown;
  /** The days for which the project, or the account's plan, stores events. */
  readonly storedDays: StoredDays;
  /** The goals of the project; null for an account. */
  readonly goals: Goals | null;
  readonly isShare: boolean;
}

/** Adds the receipt to an answer as its last field. */
export function withReceipt(json: string, read: DataRead, asked: AskedRead): string {
  const { facts, project, narrowedBy, days, question } = read;
  const isWhole = narrowedBy.length === 0;
  const body: unknown = JSON.parse(json);
  const seen = facts.window ?? nothingSeen;
  const { input, named } = inputWithIds(asked.input, asked.goals);
  const isClipped = days !== null && seen.retainedFromMs > windowOf(days).fromMs;
  const receipt = {
    definitions: definitionsVersion,
    through: facts.throughMs,
    ...(isWhole && { data_version: versionOf(read) }),
    request: requestOf({ ...asked, input }, read),
    window: days === null ? null : spanOf(days),
    retained_from: retainedFrom(seen.retainedFromMs, facts.throughMs, asked.storedDays),
    filters:
      question.questions?.map((one, at) =>
        filtersOf(read, one, one.days ?? days, facts.ids?.[at]),
      ) ?? filtersOf(read, question, days, facts.ids?.[0]),
    ...goalsField([...definitionsOf(named, asked.isShare), ...goalsIn(narrowedBy)]),
    ...(isWhole && { scanned: { rows: seen.rows, segments: seen.segments } }),
    sampling: "none",
    cuts: isObject(body) ? cutsOf(body) : [],
    ...(isWhole && { excluded: { automated_requests: seen.automatedRequests } }),
    caveats: [
      ...(project?.identify === "any" ? ["identities_may_merge"] : []),
      ...(isClipped ? ["retention_clips"] : []),
      ...(read.source.hasDailyVisitors ? ["daily_visitor_ids"] : []),
      ...(seen.hasImported ? ["imported_events"] : []),
      ...(isObject(body) && body.imported !== undefined ? ["imported_beside"] : []),
    ],
    body_sha256: sha256Hex(wireJson(json)),
  };
  return `${json.slice(0, -1)},"receipt":${shortened(receipt)}}`;
}

/** Returns the goals of the request and of a share's own filters, each once. */
const goalsField = (goals: readonly { readonly id: string }[]) => {
  const once = [...new Map(goals.map((goal) => [goal.id, goal])).values()];
  return once.length === 0 ? {} : { goals: once };
};

const nothingSeen = {
  ...{ rows: 0, segments: 0, automatedRequests: 0, retainedFromMs: 0, hasImported: false },
};

/**
 * Shortens a receipt until it fits: long parts of a question become digests, its filters first, as the request has them
 * too, then its goals.
 */
function shortened<Of extends { filters: unknown; goals?: unknown; request: ReceiptRequest }>(
  receipt: Of,
): string {
  const fits = (text: string): boolean => Buffer.byteLength(text) <= receiptBytesMax;
  const whole = JSON.stringify(receipt);
  if (fits(whole)) return whole;
  const withoutFilters = { ...receipt, filters: digestOf(receipt.filters) };
  const shorter = JSON.stringify(withoutFilters);
  if (fits(shorter)) return shorter;
  const { goals } = receipt;
  const brief = { ...withoutFilters, ...(goals !== undefined && { goals: digestOf(goals) }) };
  const short = JSON.stringify(brief);
  if (fits(short)) return short;
  const { query, body, ...where } = receipt.request;
  const request = {
    ...where,
    ...(query !== undefined && { query: digestOf(query) }),
    ...(body !== undefined && { body: digestOf(body) }),
  };
  return JSON.stringify({ ...brief, request });
}
const digestOf = (value: unknown) => ({ sha256: sha256Hex(JSON.stringify(value)) });

interface ReceiptRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: Fields;
  readonly body?: Fields;
}

/** Sent again it gives the same answer: with ids, absolute dates, and all defaults that its schema names. */
function requestOf(
  { name, takes, isQuery, params, input }: AskedRead,
  read: DataRead,
): ReceiptRequest {
  const { method, path: pattern } = splitName(name);
  const path = pattern.replace(/\{(\w+)\}/g, (_, part: string) => params[part] ?? "");
  const fields = fieldsOf(takes, isObject(input) ? input : {}, read);
  return { method, path, ...(isQuery ? { query: fields } : { body: fields }) };
}

/** Those of a share hold too. The user who was looked up is one of the ids that the lookup found. */
const filtersOf = (
  { narrowedBy }: Pick<DataRead, "narrowedBy">,
  { filters = [] }: Question,
  days: Days | null,
  ids: readonly string[] | null = null,
) => [
  ...narrowedBy.map((one) => asSent(one, null)),
  ...filters.map((one) => asSent(one, days)),
  ...(ids === null ? [] : [{ field: "user_id", op: "in", value: ids }]),
];

function fieldsOf({ properties = {} }: Node, input: Fields, read: DataRead): Fields {
  const { project, days, question } = read;
  const { email: _, ...sent } = input;
  const asked = hasBothEnds(properties) ? withoutPeriod(sent) : sent;
  const fields = {
    ...asked,
    ...(project !== null && "project" in properties && { project: project.id }),
  };
  // A cursor has the dates of its first page, and belongs to the parameters of that.
  if (days === null || asked.cursor !== undefined) return fields;
  const { queries } = asked;
  if (!Array.isArray(queries)) {
    return { ...fields, ...wordsOf(question), ...datesOf(properties, days, question) };
  }
  const each = queries.map((one: Fields, at) => {
    const own = question.questions?.[at];
    const { email: _address, ...rest } = one;
    return { ...rest, ...(own !== undefined && datesOf(properties, own.days ?? days, own)) };
  });
  const ofEach = properties.queries?.items?.properties ?? {};
  const ofAll = Object.entries(fields).filter(([name]) => !(name in ofEach));
  return { ...Object.fromEntries(ofAll), queries: each };
}

/** The words of a question, with those that were left out. */
const wordsOf = ({ selection }: Question): Fields =>
  selection === undefined
    ? {}
    : {
        metrics: selection.metrics,
        group_by: selection.groupBy,
        count_mode: selection.countMode,
        order_by: selection.orderBy,
        order: selection.order,
      };

/** Dates stand in the place of a period such as `7d`, where an operation takes either. */
const hasBothEnds = ({ since, until }: Properties): boolean =>
  since !== undefined && until !== undefined;
function withoutPeriod({ period, ...others }: Fields): Fields {
  const isLength = typeof period === "string" && /^\d+d$/.test(period);
  return period === undefined || isLength ? others : { ...others, period };
}

/** The dates that were meant, of the period beside it too, in the zone whose they are. */
function datesOf(properties: Properties, days: Days, { compare }: Question): Fields {
  return {
    ...("tz" in properties && { tz: days.zone ?? timeZoneDefault }),
    ...datesIn(properties, days),
    ...(compare !== undefined && {
      compare: { date_from: isoDate(compare.days.from), date_to: isoDate(compare.days.to) },
    }),
  };
}
type Properties = Readonly<Record<string, Node>>;

/** The dates of a window, under the names that an operation has for them. */
function datesIn(properties: Properties, { from, to }: Days): Fields {
  const dates = { since: from, until: to, date_from: from, date_to: to };
  const isNumberOfDays = (name: string): boolean => properties[name]?.enum !== undefined;
  return Object.fromEntries(
    Object.entries(dates)
      .filter(([name]) => name in properties && !isNumberOfDays(name))
      .map(([name, day]) => [name, isoDate(day)]),
  );
}

function spanOf(days: Days) {
  const { fromMs, toMs } = windowOf(days);
  const [start, end] = [fromMs, toMs].map((ms) => new Date(ms).toISOString());
  return { from: isoDate(days.from), to: isoDate(days.to), start, end };
}

/** Until something was hidden this is what will be stored, as nothing older was there. */
const retainedFrom = (ms: number, nowMs: number, days: StoredDays): string =>
  ms > 0 ? isoDate(dayOf(ms)) : firstStoredDate(nowMs, days);

/** Returns the limits that took effect: on groups that were left out, and on a page that is not the last one. */
function cutsOf(body: Fields): { readonly what: "groups" | "rows"; readonly kept: number }[] {
  const { breakdowns, breakdowns_total: total } = body;
  const rows = Array.isArray(breakdowns) ? breakdowns : Object.values(body).find(Array.isArray);
  const kept = typeof body.count === "number" ? body.count : (rows?.length ?? 0);
  const isCut = body.truncated === true || (typeof total === "number" && total > kept);
  return [
    ...(isCut ? [{ what: "groups", kept } as const] : []),
    ...(typeof body.next_cursor === "string" ? [{ what: "rows", kept } as const] : []),
  ];
}
