import { afterAll, expect, test } from "bun:test";
import { createProject, read, setUpAccount } from "../../support/server/account";
import { type SmallDisk, smallDisk } from "../../support/server/disk";
import { faultsIn, storedEvents } from "../verify";
import { startWorkload } from "../workload";

const cycles = 3;
const waitMsMax = 50_000;
let disk: SmallDisk | null = null;
afterAll(() => disk?.remove());

test("a disk that fills and empties under load: nothing acknowledged is lost, nothing refused stored", async () => {
  disk = smallDisk();
  const server = await disk.start();
  const key = await setUpAccount(server.url);
  const project = await createProject(server.url, key, "loaded");
  const seed = 20_260_917;
  const workload = await startWorkload(server.url, project, seed, 6, 40);
  const count = (outcome: string): number =>
    workload.sent.filter((request) => request.outcome === outcome).length;

  for (let cycle = 1; cycle <= cycles; cycle++) {
    await until(() => count("acknowledged") >= cycle * 20);
    disk.fill();
    const refusedBefore = count("refused");
    await until(() => count("refused") > refusedBefore);
    disk.free();
    const acknowledgedBefore = count("acknowledged");
    await until(() => count("acknowledged") > acknowledgedBefore);
  }
  await workload.stop();
  const rows = await storedEvents(server.url, key, project);
  expect(faultsIn(workload.sent, rows)).toEqual([]);
  const shown = await read<{ total_events: number }>(server.url, key, `/projects/${project.id}`);
  expect(shown.total_events).toBe(rows.length);
  expect(await server.stop()).toBe(0);
});

async function until(isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + waitMsMax;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error("What was waited for did not come.");
    await Bun.sleep(5);
  }
}
