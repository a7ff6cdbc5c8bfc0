/** The parts of the API's answers with rows of goals that pages show. */
interface GoalNamed {
  readonly id: string;
  readonly name: string;
}
export interface GoalNamesAnswer {
  readonly goals: readonly GoalNamed[];
}
/** A row of the answer with `goals`: the numbers of one goal, with `compare` also those of the other period. */
export interface GoalRow {
  readonly goal: GoalNamed;
  readonly conversions: number;
  readonly conversion_rate: number;
  readonly goal_events: number;
  readonly revenue: number | null;
  readonly currency: string | null;
  readonly previous?: Readonly<Record<string, number | null>> | undefined;
}
export interface GoalRowsAnswer {
  readonly warnings?: readonly { readonly message: string }[];
  readonly rows: readonly GoalRow[];
}
