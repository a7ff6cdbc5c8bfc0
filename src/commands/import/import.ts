import { hasStoredNone } from "../../domain/import-report";
import { secondMs } from "../../lib/clock";
import { visibleText } from "../../lib/visible-text";
import { exitCodes } from "../command";
import { bytesText, countText, Progress } from "../remote/progress";
import { CommandFailed } from "../remote/remote-error";
import { type RemoteServer, remoteServer } from "../remote/remote-server";
import { type FilePlan, importPlan } from "./plan";
import { isConfirmed } from "./question";
import type { RemoteImport } from "./remote-import";
import { reportText, table } from "./report";
import { withReadable } from "./sealed-file";
import { announced, uploaded } from "./upload";

const pollEveryMs = secondMs / 2;

/** `sightline import`: uploads a file, prints the report of its check, and stores it with --commit. */
export async function importCommand(parameters: readonly string[]): Promise<number> {
  const plan = importPlan(parameters);
  const server = remoteServer(plan.url);
  if (plan.does === "list") {
    const found = await server.json<ImportList>(
      `imports?${new URLSearchParams({ project: plan.project })}`,
    );
    print(plan.isJson ? jsonText(found) : listText(found));
    return exitCodes.done;
  }
  if (plan.does === "remove") {
    const removed = await server.json<Removed>(`imports/${encodeURIComponent(plan.id)}`, "DELETE");
    print(plan.isJson ? jsonText(removed) : removedText(removed));
    return exitCodes.done;
  }
  const brought = await withReadable(plan.file, (file) =>
    bring(server, { ...plan, file }, plan.isJson ? () => undefined : print),
  );
  if (plan.isJson) print(jsonText(brought));
  if (brought.state !== "failed") return exitCodes.done;
  throw failureOf(brought);
}

interface ImportList {
  readonly imports: readonly RemoteImport[];
}
interface Removed {
  readonly deleted: string;
  readonly events: number;
  readonly days: number;
  readonly days_left?: number;
}

const print = (text: string): void => void process.stdout.write(text);
const jsonText = (value: unknown): string => `${JSON.stringify(value)}\n`;

/** Goes on from the state that the server has of this file, and returns the last one. */
async function bring(
  server: RemoteServer,
  plan: FilePlan,
  say: (text: string) => void,
): Promise<RemoteImport> {
  const begun = await announced(server, plan);
  const checked = await check(server, plan, begun);
  if (checked.state === "done") {
    say(begun.state === "done" ? alreadyText(begun) : doneText(checked));
    return checked;
  }
  if (checked.state === "failed") return checked;
  say(`${reportText(checked)}\n`);
  if (!plan.commits) {
    say(`${nextText(checked, plan)}\n`);
    return checked;
  }
  if (plan.isAsked && !(await isConfirmed(`Store this in ${visibleText(plan.project)}?`))) {
    say("Nothing is stored.\n");
    return checked;
  }
  const committed = await server.json<RemoteImport>(`imports/${checked.id}/commit`, "POST", {});
  const done = await followed(server, committed, "Commit");
  if (done.state === "done") say(doneText(done));
  return done;
}

/** Uploads what is missing and has the file checked, as far as the server has not done so. */
async function check(
  server: RemoteServer,
  plan: FilePlan,
  begun: RemoteImport,
): Promise<RemoteImport> {
  const isOtherwise = begun.state === "checked" && Object.keys(plan.check).length > 0;
  if (begun.state !== "uploading" && !isOtherwise) return followed(server, begun, "Check");
  if (begun.state === "uploading") await uploaded(server, plan.file, begun);
  const checking = await server.json<RemoteImport>(`imports/${begun.id}/check`, "POST", plan.check);
  return followed(server, checking, "Check");
}

/** Waits while the server works on the import. */
async function followed(
  server: RemoteServer,
  begun: RemoteImport,
  title: string,
): Promise<RemoteImport> {
  const progress = new Progress(title, bytesText);
  let now = begun;
  while (now.state === "checking" || now.state === "committing") {
    progress.show({ done: now.progress * now.size, total: now.size });
    await Bun.sleep(pollEveryMs);
    now = await server.json<RemoteImport>(`imports/${now.id}`);
  }
  progress.end();
  return now;
}

function failureOf({ error }: RemoteImport): CommandFailed {
  const { code, message, line } = error ?? { code: "IMPORT_BROKEN", message: "The import failed." };
  return new CommandFailed(
    `${code}: ${message}${typeof line === "number" ? ` (line ${line})` : ""}`,
  );
}

const nextText = ({ id, report }: RemoteImport, { commits }: FilePlan): string =>
  commits || isWithoutRows(report)
    ? `Nothing is stored, and nothing new would be. To delete the upload: sightline import --remove ${id}`
    : "Nothing is stored yet. To store it, run the same command again with --commit.\n" +
      `To delete the upload: sightline import --remove ${id}`;

const isWithoutRows = (report: RemoteImport["report"]): boolean =>
  hasStoredNone({ stored: report?.rows.stored ?? 0, folded: report?.rows.folded ?? 0 });

const alreadyText = ({ id, report }: RemoteImport): string =>
  isWithoutRows(report)
    ? `This file is imported already, as ${id}, and that import stored 0 rows.\n` +
      `To import the file again, first remove that import: sightline import --remove ${id}\n`
    : `This file is imported already, as ${id}.\n`;

const doneText = ({ id, project, report }: RemoteImport): string =>
  `Done: ${countText(report?.rows.stored ?? 0)} rows are stored in ${visibleText(project)}. ` +
  `To remove them: sightline import --remove ${id}\n`;

const removedText = ({ deleted, events, days, days_left: left = 0 }: Removed): string =>
  `Removed ${deleted}: ${countText(events)} events and ${countText(days)} days.\n${
    left === 0
      ? ""
      : `${countText(left)} days keep its events in their sums, as more than four imports had a part in them.\n`
  }`;

function listText({ imports }: ImportList): string {
  if (imports.length === 0) return "The project has no imports.\n";
  const rows = imports.map((one) => [
    ...[one.id, one.state, one.kind ?? "–", timeText(one.created_at)],
    ...[countText(one.report?.rows.stored ?? 0), visibleText(one.name ?? "–")],
  ]);
  const heads = ["id", "state", "kind", "created", "rows stored", "file"];
  return `${table([heads, ...rows], new Set([4])).join("\n")}\n`;
}

const timeText = (time: number | string): string =>
  new Date(time).toISOString().slice(0, 16).replace("T", " ");
