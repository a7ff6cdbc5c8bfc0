import { dayOf, isoDate } from "../../domain/event";
import type { FileInput } from "./file";
import type { ExportFormat } from "./schema";

const types: Readonly<Record<ExportFormat, string>> = {
  jsonl: "application/x-ndjson; charset=utf-8",
  csv: "text/csv; charset=utf-8",
  parquet: "application/vnd.apache.parquet",
};

const packedTypes = { gzip: "application/gzip", zstd: "application/zstd" } as const;

export const fileType = ({ format, compress }: FileInput): string =>
  compress === "none" ? types[format] : packedTypes[compress];

/** `shop-events-2026-01-14.jsonl.gz`. A name that is no file name everywhere gives way to the id. */
export function fileName(
  { kind, format, compress, head }: FileInput,
  { id, name }: { readonly id: string; readonly name: string },
): string {
  const date = isoDate(dayOf(head.exported_at));
  return `${plainName.test(name) ? name : id}-${kind}-${date}.${format}${endings[compress]}`;
}

const endings = { none: "", gzip: ".gz", zstd: ".zst" } as const;
const plainName = /^[a-z0-9][a-z0-9_-]{0,63}$/i;
