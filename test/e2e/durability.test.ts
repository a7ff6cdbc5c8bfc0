import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createProject, setUpAccount, userAgent } from "../support/server/account";
import { ask, removeFolder, startServer, temporaryFolder } from "../support/server/server";

const folder = temporaryFolder();
afterAll(() => removeFolder(folder));

/** More than maintenance syncs the log of an idle server beside. */
const tracks = 5;

test("with DURABILITY=full the log is on the disk before each 202 leaves", async () => {
  const syncs = await syncsBeforeAnswers("full");
  expect(syncs).toHaveLength(tracks);
  expect(Math.min(...syncs)).toBeGreaterThan(0);
});

test("with DURABILITY=normal a 202 waits for no disk", async () => {
  const syncs = await syncsBeforeAnswers("normal");
  expect(syncs).toHaveLength(tracks);
  // The store may sync its log for itself at any moment, but hardly at each of these.
  expect(Math.min(...syncs)).toBe(0);
});

/** Returns how often the log was synced between each event's arrival and its answer. */
async function syncsBeforeAnswers(durability: "full" | "normal"): Promise<number[]> {
  const calls = await callsOfTracks(durability);
  const received = calls.flatMap((call, at) => (call.includes("POST /track") ? [at] : []));
  return received.map((from) => {
    const answered = calls.findIndex((call, at) => at > from && call.includes("HTTP/1.1 202"));
    expect(answered).toBeGreaterThan(from);
    return calls.slice(from, answered).filter(isSyncOfTheLog).length;
  });
}

/** A call that returned: a thread's unfinished call shows again where it is resumed. */
const isSyncOfTheLog = (call: string): boolean =>
  /\b(fsync|fdatasync)\(\d+<[^>]*events\.db-wal>\)\s+= 0/.test(call);

/** The system calls, in order and over all threads, of a server that takes one event after the other. */
async function callsOfTracks(durability: "full" | "normal"): Promise<string[]> {
  const dataDir = join(folder, durability);
  const trace = join(folder, `${durability}.strace`);
  const server = await startServer({
    dataDir,
    env: { DURABILITY: durability },
    wrapper: [
      "strace",
      "--follow-forks",
      "--decode-fds=path",
      "--string-limit=64",
      "--trace=read,recvfrom,recvmsg,write,writev,sendto,sendmsg,fsync,fdatasync",
      `--output=${trace}`,
    ],
  });
  const project = await createProject(server.url, await setUpAccount(server.url), durability);
  const body = { token: project.token, event: "traced" };
  for (let track = 0; track < tracks; track++) {
    await Bun.sleep(1_000);
    const reply = await ask(server.url, "POST", "/track", { "User-Agent": userAgent }, body);
    expect(reply.status).toBe(202);
  }
  await stopTraced(server.process);
  return withSyncsResumed(readFileSync(trace, "utf8").split("\n"));
}

/** The signal has to reach the server, which is the child of strace. */
async function stopTraced(tracer: Bun.Subprocess): Promise<void> {
  const children = readFileSync(`/proc/${tracer.pid}/task/${tracer.pid}/children`, "utf8");
  process.kill(Number(children.trim().split(" ")[0]), "SIGTERM");
  await tracer.exited;
}

/** `<... fdatasync resumed>` does not say of which file: the thread's unfinished call does. */
function withSyncsResumed(lines: readonly string[]): string[] {
  const unfinished = new Map<string, string>();
  return lines.map((line) => {
    const thread = line.split(" ", 1)[0] ?? "";
    if (/\b(fsync|fdatasync)\(.*<unfinished/.test(line)) {
      unfinished.set(thread, /\((.*?) <unfinished/.exec(line)?.[1] ?? "");
      return "";
    }
    return line.replace(/<\.\.\. (fsync|fdatasync) resumed>/, `$1(${unfinished.get(thread) ?? ""}`);
  });
}
