import type { Plan } from "./plan";

/** The resources of a process while it gets no requests. */
export interface Rest {
  readonly memoryMb: number;
  readonly descriptors: number;
  readonly threads: number;
}

/** The events of one project: acknowledged, in the store, and in the restored backup. */
export interface Counts {
  readonly project: string;
  readonly acknowledged: Tally;
  readonly stored: Tally;
  readonly restored: Tally;
}
export interface Tally {
  readonly events: number;
  readonly sum: number;
}

export interface Findings {
  readonly rests: readonly Rest[];
  readonly counts: readonly Counts[];
  readonly mailIds: readonly string[];
  /** The alerts that were due, and the webhooks that told of them, each try of one message once. */
  readonly alerts: readonly string[];
  readonly firedAlerts: readonly string[];
  readonly logBytesPerDay: number;
  readonly logMessages: Readonly<Record<string, number>>;
  readonly failedSteps: readonly string[];
}

const logBytesPerDayMax = 50_000_000;
/** A process opens files and starts threads when it needs them: a leak would be of more, hour by hour. */
const descriptorsMoreMax = 10;
const threadsMoreMax = 6;

/** The sentences that say what is wrong; none when the soak has passed. */
export function faultsOf(
  findings: Findings,
  { memoryGrowthMax }: Pick<Plan, "memoryGrowthMax">,
): readonly string[] {
  return [
    ...findings.failedSteps,
    ...findings.counts.flatMap(countFaults),
    ...restFaults(findings.rests, memoryGrowthMax),
    ...repeated(findings.mailIds).map((id) => `The mail ${id} came more than once.`),
    ...repeated(findings.firedAlerts).map((id) => `The alert ${id} was told more than once.`),
    ...findings.alerts
      .filter((id) => !findings.firedAlerts.includes(id))
      .map((id) => `The alert ${id} was never told.`),
    ...(findings.logBytesPerDay <= logBytesPerDayMax
      ? []
      : [`The log takes ${Math.round(findings.logBytesPerDay / 1e6)} MB a day.`]),
  ];
}

function countFaults({ project, acknowledged, stored, restored }: Counts): string[] {
  const differs = (name: string, { events, sum }: Tally): string[] =>
    events === acknowledged.events && sum === acknowledged.sum
      ? []
      : [
          `The project ${project} has ${events} events with the sum ${sum} in the ${name}, and ` +
            `${acknowledged.events} with the sum ${acknowledged.sum} were acknowledged.`,
        ];
  return [...differs("store", stored), ...differs("newest restore", restored)];
}

/** Compares each rest with the second: the first hour fills what a server keeps. */
function restFaults(rests: readonly Rest[], memoryGrowthMax: number): string[] {
  if (rests.length < 3) return ["There were fewer than three rests to compare."];
  const [, base, ...later] = rests;
  return later.flatMap(({ memoryMb, descriptors, threads }, index) => {
    const hour = index + 3;
    const faults: string[] = [];
    if (memoryMb > base.memoryMb * memoryGrowthMax) {
      faults.push(
        `After hour ${hour} the server has ${memoryMb} MB, after hour 2 ${base.memoryMb}.`,
      );
    }
    if (descriptors > base.descriptors + descriptorsMoreMax) {
      faults.push(
        `After hour ${hour} ${descriptors} files are open, after hour 2 ${base.descriptors}.`,
      );
    }
    if (threads > base.threads + threadsMoreMax) {
      faults.push(`After hour ${hour} there are ${threads} threads, after hour 2 ${base.threads}.`);
    }
    return faults;
  });
}

function repeated(ids: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return [...new Set(ids.filter((id) => seen.size === seen.add(id).size))];
}
