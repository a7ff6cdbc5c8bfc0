import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ImportKind } from "../../src/domain/import";
import { openFileRows } from "../../src/ingest/imports/file-rows";
import type { ImportedEvent, ImportedRow } from "../../src/ingest/imports/importer";
import type { FileRows } from "../../src/store/imports";
import { pathFromRoot } from "../support/suite/sources";

/** The samples hold hits of November 2026. */
export const nowMs = Date.parse("2026-11-27T12:00:00Z");

export const samplePath = (name: string): string => pathFromRoot(`test/imports/samples/${name}`);

export interface ReadOptions {
  readonly kind?: ImportKind;
  readonly timeZone?: string;
}

/** A folder for the files of one test file. */
export class Files {
  readonly #folder = mkdtempSync(join(tmpdir(), "sightline-imports-"));
  #count = 0;

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }

  async write(content: string | Uint8Array): Promise<string> {
    const path = join(this.#folder, `upload-${this.#count++}`);
    await Bun.write(path, content);
    return path;
  }

  /** The rows of a file with this content. */
  async rows(content: string | Uint8Array, options: ReadOptions = {}): Promise<ImportedRow[]> {
    return rowsAt(await this.write(content), options);
  }
}

export function openAt(path: string, options: ReadOptions = {}): Promise<FileRows> {
  const { kind = null, timeZone = "UTC" } = options;
  return openFileRows({ path, kind, timeZone, nowMs, blocked: null });
}

export async function rowsAt(path: string, options: ReadOptions = {}): Promise<ImportedRow[]> {
  const rows: ImportedRow[] = [];
  for await (const piece of (await openAt(path, options)).pieces()) rows.push(...piece);
  return rows;
}

export const eventsOf = (rows: readonly ImportedRow[]): ImportedEvent[] =>
  rows.flatMap((row) => (row.kind === "event" ? [row.event] : []));

/** The one event of a file. */
export function onlyEvent(rows: readonly ImportedRow[]): ImportedEvent {
  const [event, ...others] = eventsOf(rows);
  if (event === undefined || others.length > 0) throw new Error(JSON.stringify(rows));
  return event;
}

/** The outcome of each row: the code of one that is refused, else its kind. */
export const outcomesOf = (rows: readonly ImportedRow[]): string[] =>
  rows.map((row) => (row.kind === "refused" ? row.code : row.kind));

/** The same with the lines. */
export const linesOf = (rows: readonly ImportedRow[]): (number | string)[][] =>
  rows.map(({ line, kind }) => [line, kind]);
