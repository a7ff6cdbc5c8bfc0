import type { Condition } from "../../../src/domain/filter";
import { type Did, type FilterItem, isOncePer } from "../../../src/domain/filter-items";
import { eventsOf } from "../../../src/domain/goal";
import { type Cast, dayMs } from "../world/cast";
import type { Random } from "./random";
import { randomCondition } from "./random-conditions";
import { productGoal, type RandomGoal, randomGoal } from "./random-goals";

/** A filter that a request can send. */
export type SentItem = SentSimple | { readonly any: readonly SentSimple[] };
type SentSimple = Condition | SentDid;
type SentDid = Did & { readonly goal?: NonNullable<Did["goal"]> & DefinedGoal };
/** The goal of an item as the model knows it. */
interface DefinedGoal {
  readonly definition: RandomGoal;
}
export const isSent = (item: FilterItem): item is SentItem => !isOncePer(item);

/** A filter as any read takes it. */
export function randomItem(random: Random, cast: Cast): SentItem {
  const { between, chance } = random;
  const simple = () => (chance(0.8) ? randomCondition(random, cast) : randomDid(random, cast));
  return chance(0.8) ? simple() : { any: Array.from({ length: between(2, 3) }, simple) };
}

function randomDid(random: Random, cast: Cast): SentDid {
  const own = {
    did: random.pick(cast.names),
    isNegated: random.chance(0.5),
    filters: random.chance(0.3) ? [randomCondition(random, cast)] : [],
    window: null,
  };
  if (!random.chance(0.5)) {
    return { ...own, ...(random.chance(0.4) && { since: randomSince(random, cast) }) };
  }
  const did = { ...own, of: "session" as const };
  return random.chance(0.4) ? ofGoal(did, randomGoal(random, cast)) : did;
}

/** The same of the events of a goal. */
export function ofGoal(did: Did, definition: RandomGoal): SentDid {
  const { event } = definition;
  const goal = {
    id: "goal_1",
    name: "Goal",
    events: eventsOf(productGoal(definition)),
    definition,
  };
  return { ...did, did: event, goal };
}

const randomSince = ({ chance, below, pick }: Random, { today }: Cast): string =>
  chance(0.5)
    ? `${pick([0, 2, 30, 400])}d`
    : new Date((today - below(60)) * dayMs).toISOString().slice(0, 10);
