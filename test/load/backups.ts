import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createProject, type Project, setUpAccount } from "../support/server/account";
import { removeFolder, type Server, startServer, temporaryFolder } from "../support/server/server";
import { type Figures, median, oneDecimal, quantile, thousands } from "./figures";
import { latenciesAt } from "./single";

const section = "Acknowledgements beside a continuous backup";
const rounds = 5;
const roundSeconds = 12;
/** The least, twelve times as often as usual, so that each round has two points. */
const everySeconds = 5;
const addedMsMax = 5;

interface Measured {
  readonly server: Server;
  readonly project: Project;
  /** One for each round, in ms. */
  readonly p50: number[];
  readonly p99: number[];
}

/** Two servers, one with a backup, get single events in turn, so that both meet the same machine. */
export async function measureBackups(perSecond: number, figures: Figures): Promise<void> {
  const root = temporaryFolder();
  const without = await open(join(root, "without"), {});
  const beside = await open(join(root, "beside"), {
    BACKUP_URL: pathToFileURL(join(root, "target")).href,
    BACKUP_EVERY_S: String(everySeconds),
    BACKUP_KEY: "k".repeat(32),
  });
  for (let round = -1; round < rounds; round++) {
    // The one that comes first in a round comes second in the next. The round before all others warms both up.
    for (const one of round % 2 === 0 ? [without, beside] : [beside, without]) {
      const latencies = await latenciesAt(one.server, one.project, perSecond, roundSeconds);
      if (round < 0) continue;
      one.p50.push(median(latencies));
      one.p99.push(quantile(latencies, 0.99));
    }
  }
  for (const { server } of [without, beside]) await server.stop();
  removeFolder(root);
  const shown = ({ p50, p99 }: Measured): string =>
    `${oneDecimal(median(p50))} / ${oneDecimal(median(p99))}`;
  const at = `at ${thousands(perSecond)} requests/s`;
  figures.add(section, `p50 / p99 ${at} without a backup, ms`, shown(without));
  figures.add(section, `… with one, a point each ${everySeconds} s, ms`, shown(beside));
  const added = median(beside.p99.map((ms, round) => ms - without.p99[round]));
  figures.add(
    section,
    `… added to the p99, median of ${rounds} rounds in turn, ms`,
    oneDecimal(added),
    `${addedMsMax}`,
    added <= addedMsMax,
  );
  const ratios = beside.p99.map((ms, round) => ms / without.p99[round]);
  figures.add(section, "… ratio of the p99, median", median(ratios).toFixed(2));
}

async function open(dataDir: string, env: Readonly<Record<string, string>>): Promise<Measured> {
  const server = await startServer({ dataDir, env: { DEMO_ENABLED: "false", ...env } });
  const project = await createProject(server.url, await setUpAccount(server.url), "single");
  return { server, project, p50: [], p99: [] };
}
