import { Model } from "../../model/model";
import type { Driven } from "../engine/driven";
import type { Sizes } from "../engine/engine";
import { at } from "../engine/engine";
import { answerOf, ask } from "./ask";
import { withCounting } from "./counting-warnings";
import type { Change, History, Interrupted, Step } from "./history";
import type { Question } from "./questions";

/** A place at which an engine's answer was not the model's. */
export interface Difference {
  readonly question: Question;
  readonly got: string;
  readonly wanted: string;
}

const projectId = "proj_0000000000000001";
const otherId = "proj_0000000000000002";
const stagingId = "proj_0000000000000003";
/** The characters of one answer in a report. */
const shownCharsMax = 2_000;

/** An engine with nothing in it. */
export type OpenDriven = (sizes: Sizes) => Driven | Promise<Driven>;

/** Runs a history on an engine and on the model. Returns how many answers were compared, or the first difference. */
export async function play(
  { sizes, steps }: History,
  open: OpenDriven,
): Promise<number | Difference> {
  const engine = await open(sizes);
  try {
    const model = new Model();
    let compared = 0;
    for (const step of steps) {
      const difference = await at(step.nowMs, () => take(step, engine, model));
      if (difference !== null) return difference;
      if (step.kind === "ask" || step.kind === "interrupted") compared++;
    }
    return compared;
  } finally {
    await engine.close();
  }
}

async function take(step: Step, engine: Driven, model: Model): Promise<Difference | null> {
  switch (step.kind) {
    case "ask":
      return compare(step.question, engine, model, () => undefined);
    case "interrupted":
      return interrupt(step, engine, model);
    case "restart":
      await engine.restart();
      return null;
    default:
      await change(step, engine);
      changeModel(step, model);
      return null;
  }
}

/** The answer is of what was stored when the read began. */
async function interrupt(
  { question, place, meanwhile }: Interrupted,
  engine: Driven,
  model: Model,
): Promise<Difference | null> {
  let visited = 0;
  const difference = await compare(question, engine, model, () =>
    visited++ === place ? changeAll(meanwhile, engine) : undefined,
  );
  // It may have had fewer places.
  if (visited <= place) await changeAll(meanwhile, engine);
  for (const step of meanwhile) changeModel(step, model);
  return difference;
}

/** One after the other; where an engine has done it when it returns, within the place of the read itself. */
function changeAll([first, ...rest]: readonly Change[], engine: Driven): unknown {
  if (first === undefined) return;
  const done = at(first.nowMs, () => change(first, engine));
  return done instanceof Promise
    ? done.then(() => changeAll(rest, engine))
    : changeAll(rest, engine);
}

function change(step: Change, engine: Driven): unknown {
  switch (step.kind) {
    case "commit":
      return commit(step, engine);
    case "identify": {
      const { nowMs: receivedAtMs, previousId, userId } = step;
      const entry = { projectId, receivedAtMs, previousId, userId, traits: null };
      return engine.append([{ kind: "identity", ...entry }]);
    }
    case "unlink":
      return engine.unlink(projectId, step.previousId);
    case "compact":
      return engine.compact(step.merges);
    case "note overlaps":
      return engine.noteOverlaps();
    case "sweep":
      return engine.sweep();
    case "retain":
      return engine.forget(projectId, step.fromMs);
    case "purge":
      return engine.purge(projectId);
    case "replace": {
      const { nowMs: receivedAtMs, events } = step;
      const stored = engine.append([
        { kind: "events", projectId: stagingId, receivedAtMs, events },
      ]);
      const replace = (): unknown => engine.replaceProject(projectId, stagingId);
      return stored instanceof Promise ? stored.then(replace) : replace();
    }
  }
}

function changeModel(step: Change, model: Model): void {
  switch (step.kind) {
    case "commit":
      addTo(model, step);
      return;
    case "identify":
      model.identify(step.previousId, step.userId);
      return;
    case "unlink":
      model.unlink(step.previousId);
      return;
    case "retain":
      model.retainFrom(step.fromMs);
      return;
    case "purge":
      model.clear();
      return;
    case "replace":
      model.clear();
      addTo(model, step);
  }
}

/** Another project gets events in the same commit, so that a read that strays into it is found out. */
function commit({ nowMs, events }: Extract<Change, { kind: "commit" }>, engine: Driven): unknown {
  const [first] = events;
  return engine.append([
    { kind: "events", projectId, receivedAtMs: nowMs, events },
    { kind: "events", projectId: otherId, receivedAtMs: nowMs, events: first ? [first] : [] },
  ]);
}

function addTo(
  model: Model,
  { nowMs, events }: Extract<Change, { kind: "commit" | "replace" }>,
): void {
  for (const { userId: user, sessionId: session, ...event } of events) {
    model.add({ ...event, user, session }, nowMs);
  }
}

/** Compares answers as JSON, so that the order of fields counts as well. */
async function compare(
  question: Question,
  engine: Driven,
  model: Model,
  meanwhile: () => unknown,
): Promise<Difference | null> {
  const wanted = JSON.stringify(answerOf(question, model, projectId));
  engine.meanwhile = meanwhile;
  const got = await textOf(async () => withCounting(await ask(question, engine, projectId)));
  engine.meanwhile = () => undefined;
  if (got === wanted) return null;
  return { question, got: cut(got, wanted), wanted: cut(wanted, got) };
}

/** A read that fails differs from the model too. */
async function textOf(answer: () => Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await answer());
  } catch (error) {
    return `It failed: ${error}`;
  }
}

/** Returns a text from shortly before the place where it differs from the other. */
function cut(text: string, other: string): string {
  let same = 0;
  while (same < text.length && text[same] === other[same]) same++;
  const from = Math.max(0, same - 200);
  return `${from > 0 ? "…" : ""}${text.slice(from, from + shownCharsMax)}`;
}

/** Leaves out what it can of a failing history, as long as it still fails. */
export async function smallest(
  history: History,
  open: OpenDriven,
  triesMax: number,
): Promise<History> {
  let { steps } = history;
  let tries = 0;
  const fails = async (tried: readonly Step[]): Promise<boolean> => {
    tries++;
    return typeof (await play({ ...history, steps: tried }, open)) !== "number";
  };
  for (let size = Math.ceil(steps.length / 2); size >= 1 && tries < triesMax; ) {
    let isSmaller = false;
    for (let from = 0; from < steps.length && tries < triesMax; ) {
      const tried = steps.toSpliced(from, size);
      if (tried.length < steps.length && (await fails(tried))) {
        steps = tried;
        isSmaller = true;
      } else from += size;
    }
    if (!isSmaller) size = size === 1 ? 0 : Math.ceil(size / 2);
  }
  return { ...history, steps: await withFewerEvents(steps, fails, () => tries < triesMax) };
}

async function withFewerEvents(
  steps: readonly Step[],
  fails: (steps: readonly Step[]) => Promise<boolean>,
  mayTry: () => boolean,
): Promise<readonly Step[]> {
  let left = steps;
  for (let index = 0; index < left.length; index++) {
    for (let size = eventsOf(left[index]).length; size >= 1; size = Math.floor(size / 2)) {
      for (let from = 0; from < eventsOf(left[index]).length && mayTry(); ) {
        const events = eventsOf(left[index]).toSpliced(from, size);
        const step = left[index];
        if (step.kind !== "commit") break;
        const tried = left.with(index, { ...step, events });
        if (await fails(tried)) left = tried;
        else from += size;
      }
    }
  }
  return left;
}

const eventsOf = (step: Step) => (step.kind === "commit" ? step.events : []);
