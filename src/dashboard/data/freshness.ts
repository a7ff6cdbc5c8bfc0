import { today } from "../lib/dates";
import type { ApiRequest } from "./request";

/** An answer is good for this long, whatever happens meanwhile. */
export const freshMs = 60_000;

/** The newest version of each project's data that an answer has named, by the project of the request. */
const newest = new Map<string, number>();

const projectOf = ({ body, query }: ApiRequest): string =>
  String(body?.project ?? query?.project ?? "");

/** Notes the header `X-Data-Version` of an answer. A page may have answers of before it still. */
export function noteVersion(request: ApiRequest, version: number | null): void {
  if (version === null) return;
  const project = projectOf(request);
  newest.set(project, Math.max(version, newest.get(project) ?? 0));
}

interface Answered {
  /** 0 when there is no answer yet. */
  readonly atMs: number;
  readonly version: number | null;
}

/**
 * Tells whether an answer need not be read again: it is young, or its days are over and nothing in the project has
 * changed since. Late events, links of identities and deletions change days that are over.
 */
export function isFresh(
  request: ApiRequest,
  { atMs, version }: Answered,
  nowMs: number,
  goodForMs = freshMs,
): boolean {
  if (atMs === 0) return false;
  if (nowMs - atMs < goodForMs) return true;
  return isOver(request) && version !== null && version === newest.get(projectOf(request));
}

function isOver({ body, query }: ApiRequest): boolean {
  const to = body?.date_to ?? body?.until ?? query?.until;
  return typeof to === "string" && to < today();
}
