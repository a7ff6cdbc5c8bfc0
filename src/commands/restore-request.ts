import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { ConfigError } from "../config-error";
import { parseTimeMs } from "../domain/period";

export type RestoreRequest = {
  /** As BACKUP_URL says it. */
  readonly source: string;
  /** Unix ms; null is the newest point. */
  readonly atMs: number | null;
  readonly line: string | null;
  readonly isJson: boolean;
} & (
  | { readonly what: "list" }
  | { readonly what: "check" }
  | { readonly what: "restore"; readonly folder: string }
);

const usage =
  "Pass a source and a new folder, or a source and --list or --check. --at takes a moment such as " +
  "2026-11-27T09:00:00Z.";

/** Reads the parameters. Throws ConfigError, as this command's exit code 2 says that a backup is damaged. */
export function restoreRequestOf(parameters: readonly string[]): RestoreRequest {
  const { values, positionals } = parsed(parameters);
  const [source, folder, ...more] = positionals;
  const isLooking = values.list === true || values.check === true;
  const isFit = source !== undefined && more.length === 0 && (folder === undefined) === isLooking;
  if (!isFit || (values.list === true && values.check === true)) throw new ConfigError(usage);
  const request = {
    ...{ source: urlOf(source), atMs: timeIn(values.at), line: values.line ?? null },
    isJson: values.json === true,
  };
  if (folder !== undefined) return { ...request, what: "restore", folder };
  return { ...request, what: values.list === true ? "list" : "check" };
}

function parsed(parameters: readonly string[]) {
  try {
    return parseArgs({
      args: [...parameters],
      allowPositionals: true,
      options: {
        at: { type: "string" },
        line: { type: "string" },
        json: { type: "boolean" },
        list: { type: "boolean" },
        check: { type: "boolean" },
      },
    });
  } catch {
    throw new ConfigError(usage);
  }
}

/** A folder can be named by its path. */
const urlOf = (source: string): string =>
  /^(file|s3):/.test(source) ? source : pathToFileURL(resolve(source)).href;

function timeIn(text: string | undefined): number | null {
  if (text === undefined) return null;
  const timeMs = parseTimeMs(text);
  if (timeMs === null) throw new ConfigError(usage);
  return timeMs;
}
