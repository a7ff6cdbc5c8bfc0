/*
 * A cursor keeps its window.
 * Decision: cursors carry the dates of the first page and a fingerprint of the other parameters; other parameters are
 * refused, and so are dates that cannot have been those of the first page.
 * Because: midnight must not shift a list under its reader.
 * Cost: longer cursors.
 */

import { createHash } from "node:crypto";
import { invalidField } from "./errors";
import { cursorCharsMax } from "./limits";
import type { Days } from "./period";

/**
 * A cursor says where a page ended, in which window, and of which question. It is opaque to clients and carries nothing
 * secret: a forged one reaches no further than its caller's own parameters would.
 */
export interface Cursor {
  readonly place: readonly (string | number)[];
  readonly fromDay: number;
  readonly toDay: number;
}

/** The parameters besides `cursor`, `limit` and dates, which must be the same for every page of one list. */
export type Question = Readonly<Record<string, string | number | null | undefined>>;

export function encodeCursor({ place, fromDay, toDay }: Cursor, question: Question): string {
  const json = JSON.stringify([fromDay, toDay, fingerprint(question), ...place]);
  return Buffer.from(json).toString("base64url");
}

/** Refuses what is no cursor of ours, or one that was made for another question. `kinds` are those of its place. */
export function decodeCursor(
  text: string,
  question: Question,
  kinds: readonly ("number" | "string")[],
): Cursor {
  const parts = text.length > cursorCharsMax ? [] : partsOf(text);
  const [fromDay, toDay, print, ...place] = parts;
  const isWhole = Number.isSafeInteger(fromDay) && Number.isSafeInteger(toDay);
  const isPlace =
    place.length === kinds.length && place.every((part, index) => typeof part === kinds[index]);
  if (!isWhole || !isPlace || typeof fromDay !== "number" || typeof toDay !== "number") {
    throw invalidField("cursor", '"cursor" must be the next_cursor of a previous response.');
  }
  if (print !== fingerprint(question)) throw otherParameters();
  return { place: place.filter(isScalar), fromDay, toDay };
}

const otherParameters = () =>
  invalidField(
    "cursor",
    '"cursor" belongs to a request with different parameters. Send the same parameters as in that request.',
  );

/**
 * The dates of a cursor, unless those that came with it are others. A number of days before today may have been sent on
 * an earlier date: it has to reach as far back as the first page did.
 */
export function daysOfCursor(
  cursor: Cursor,
  sent: Days,
  since: string | undefined,
  until: string | undefined,
): Days {
  const { fromDay: from, toDay: to } = cursor;
  const isLength = since === undefined || agoForm.test(since);
  const endsToday = until === undefined;
  const isStart = isLength ? !endsToday || sent.to - sent.from === to - from : sent.from === from;
  const isEnd = endsToday || agoForm.test(until) || sent.to === to;
  if (!isStart || !isEnd) throw otherParameters();
  return { from, to, zone: sent.zone };
}
const agoForm = /^\d{1,4}d$/;

function partsOf(text: string): readonly unknown[] {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) return [];
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    return Array.isArray(parts) ? parts : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function fingerprint(question: Question): string {
  const asked = Object.entries(question).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  asked.sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(asked)).digest("base64url").slice(0, 12);
}

const isScalar = (value: unknown): value is string | number =>
  typeof value === "string" || typeof value === "number";
