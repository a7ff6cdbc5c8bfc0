import { dayOf, isoDate } from "../../domain/event";
import { clock } from "../../lib/clock";
import { UsageError } from "../command";
import { type OptionNames, type Options, optionsIn } from "../remote/options";

/** An export as the parameters name it. The server judges what they say of it. */
export interface ExportPlan {
  readonly project: string;
  readonly kind: string;
  readonly format: string;
  readonly compress: "none" | "gzip" | "zstd";
  /** `-` is standard output. */
  readonly out: string;
  readonly url: string | undefined;
  /** The parameters of the request, without `after`. */
  readonly query: URLSearchParams;
}

const values = ["--project", "--kind", "--format", "--since", "--until", "--out", "--url"] as const;
const names: OptionNames<(typeof values)[number], never> = { values, flags: [] };

export function exportPlan(parameters: readonly string[]): ExportPlan {
  const options = optionsIn(parameters, names);
  const { "--project": project, "--since": since, "--until": until } = options.values;
  if (options.words.length > 0)
    throw new UsageError(`What is "${options.words[0]}"? Pass the file as --out.`);
  if (project === undefined) throw new UsageError("Pass the project: --project <name>.");
  const format = formatOf(options);
  const kind = options.values["--kind"] ?? (format === "jsonl" ? "all" : "events");
  const out = options.values["--out"] ?? usualName(project, format);
  const compress = compressionOf(out);
  const query = new URLSearchParams({ project, kind, format });
  if (compress !== "none") query.set("compress", compress);
  if (since !== undefined) query.set("since", since);
  if (until !== undefined) query.set("until", until);
  return { project, kind, format, compress, out, url: options.values["--url"], query };
}

/** The format by the file's ending, where it is not named. */
function formatOf({ values: given }: Options<(typeof values)[number], never>): string {
  const [, ending] = /\.(csv|parquet)(?:\.gz|\.zst)?$/.exec(given["--out"] ?? "") ?? [];
  return given["--format"] ?? ending ?? "jsonl";
}

const compressionOf = (out: string): ExportPlan["compress"] =>
  out.endsWith(".gz") ? "gzip" : out.endsWith(".zst") ? "zstd" : "none";

/** `shop-2026-01-14.jsonl.zst`, in the folder where the command runs. */
function usualName(project: string, format: string): string {
  const name = plainName.test(project) ? project : "export";
  const ending = format === "parquet" ? "" : ".zst";
  return `${name}-${isoDate(dayOf(clock.nowMs()))}.${format}${ending}`;
}
const plainName = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,127}$/u;
