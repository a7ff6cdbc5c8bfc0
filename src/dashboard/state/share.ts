import { signal } from "@preact/signals";
import { pathHere } from "../lib/server-path";
import { type Filter, filterOf } from "./filters";

/** The data that the page of a share is given: the project, its owner, and what is shown of it. */
export interface Shared {
  readonly token: string;
  readonly name: string;
  readonly project: string;
  readonly timezone: string;
  readonly owner: string;
  /** A date. */
  readonly since: string;
  /** The pages about single visitors that are shown. */
  readonly pages: readonly string[];
  /** The filters of the share, which the server applies to every read. */
  readonly filters: readonly Filter[];
}

const told = document.getElementById("app")?.dataset.share;

/** The share that is looked at; null for a person with an account, and in the demo. */
export const shared: Shared | null = told === undefined ? null : sharedOf(JSON.parse(told));

function sharedOf(told: Omit<Shared, "token" | "filters"> & { filters: unknown[] }): Shared {
  const [, , token = ""] = pathHere().split("/");
  const filters = told.filters.map(filterOf).filter((one) => one !== null);
  return { ...told, token, filters };
}

/** The share was revoked, or its time is over: no read is answered any more. */
export const isOver = signal(false);

/**
 * Pages about single visitors, and about what no filter narrows: a share must name what they need, or does not have
 * them.
 */
const needs: Readonly<Record<string, readonly string[]>> = {
  events: ["events"],
  live: ["events"],
  replays: ["replays"],
  sessions: ["sessions"],
  people: ["journeys", "user_id"],
};
const unfiltered = ["experiments", "bots", "live", "replays"];
const ofAccount = ["project", "move", "sites"];

/** Tells whether the viewer may open a page of the dashboard. */
export function isShown(page: string): boolean {
  if (shared === null) return true;
  const { pages, filters } = shared;
  if (ofAccount.includes(page) || (filters.length > 0 && unfiltered.includes(page))) return false;
  return (needs[page] ?? []).every((one) => pages.includes(one));
}

/** Tells whether single visitors may be told apart by this field. */
export const canShow = (field: string): boolean =>
  shared === null || !["user_id", "session_id"].includes(field) || shared.pages.includes(field);
