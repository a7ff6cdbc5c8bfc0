import { exitCodes } from "../command";
import { bytesText, countText, Progress } from "../remote/progress";
import { ServerLost } from "../remote/remote-error";
import { type RemoteServer, remoteServer } from "../remote/remote-server";
import { type BegunFile, begunFile } from "./begun-file";
import { CheckedLines } from "./checked-lines";
import { type ExportPlan, exportPlan } from "./plan";
import { continuedFile, type ExportTarget, newFile, standardOutput } from "./target";
import { checkerOf } from "./unpacked";

/** `sightline export`: a file of what a server has, checked at its end. */
export async function exportCommand(parameters: readonly string[]): Promise<number> {
  const plan = exportPlan(parameters);
  const server = remoteServer(plan.url);
  const progress = new Progress("Export", bytesText);
  try {
    const begun = isContinued(plan) ? await begunFile(plan.out, plan.kind) : null;
    const rows =
      (await goOn(server, plan, begun, progress)) ?? (await begin(server, plan, progress));
    progress.end();
    process.stderr.write(`${plan.out === "-" ? "Done" : `Wrote ${plan.out}`}${rowsText(rows)}.\n`);
    return exitCodes.done;
  } catch (error) {
    progress.end();
    if (error instanceof ServerLost) throw new ServerLost(`${error.message} ${remedyOf(plan)}`);
    throw error;
  }
}

const rowsText = (rows: number | null): string =>
  rows === null ? "" : `: ${countText(rows)} rows, complete`;

/** A packed file cannot be gone on with, and other kinds of files have no last line. */
const isContinued = ({ out, compress, format, kind }: ExportPlan): boolean =>
  out !== "-" && compress === "none" && format === "jsonl" && /^(events|all)$/.test(kind);

const remedyOf = (plan: ExportPlan): string =>
  isContinued(plan)
    ? "Run the same command again: it continues the file."
    : "Run the same command again: it begins again.";

/** Makes the whole file. Returns the number of its rows, where the file says it. */
async function begin(
  server: RemoteServer,
  plan: ExportPlan,
  progress: Progress,
): Promise<number | null> {
  const checker = checkerOf(plan);
  let target: ExportTarget | null = null;
  let done = 0;
  try {
    for await (const bytes of server.bytes(`export?${plan.query}`)) {
      // An older file stays what it is until the server has accepted the request.
      target ??= plan.out === "-" ? standardOutput : await newFile(plan.out);
      await target.write(bytes);
      await checker.push(bytes);
      done += bytes.byteLength;
      progress.show({ done, total: null, ...moreOf(checker.rows) });
    }
  } finally {
    await target?.close();
  }
  return checker.finish();
}

/**
 * Appends what a file lacks, and a last line over all. Returns the number of all rows; null where the file is of
 * another project, or none that was begun.
 */
async function goOn(
  server: RemoteServer,
  plan: ExportPlan,
  begun: BegunFile | null,
  progress: Progress,
): Promise<number | null> {
  if (begun === null) return null;
  const lines = new CheckedLines();
  let target: ExportTarget | null = null;
  let done = begun.size;
  try {
    const query = new URLSearchParams([...plan.query, ["after", begun.lastId]]);
    for await (const bytes of server.bytes(`export?${query}`)) {
      const body = lines.push(bytes);
      if (lines.head === null) continue;
      if (lines.head.project !== begun.project) return null;
      target ??= await continuedFile(plan.out, begun.size);
      begun.digest.update(body);
      await target.write(body);
      done += body.byteLength;
      progress.show({ done, total: null, ...moreOf(begun.count + lines.count) });
    }
    const lastId = lines.finish() ?? begun.lastId;
    const count = begun.count + lines.count;
    const sha256 = begun.digest.digest("hex");
    const end = { kind: "end", count, last_id: lastId, sha256 };
    target ??= await continuedFile(plan.out, begun.size);
    await target.write(new TextEncoder().encode(`${JSON.stringify(end)}\n`));
    return count;
  } finally {
    await target?.close();
  }
}

const moreOf = (rows: number | null) => (rows === null ? {} : { more: `${countText(rows)} rows` });
