/** The parts of the API's answers about goals that pages show. */
export interface Goal {
  readonly id: string;
  readonly name: string;
  readonly event: string | null;
  readonly page: string | null;
  readonly filters: readonly unknown[];
  readonly value: { readonly property: string; readonly currency: string | null } | null;
  readonly once_per: string | null;
}
export interface GoalsAnswer {
  readonly goals: readonly Goal[];
}
/** The experiments of a project with the goals that they keep. */
export interface GoalExperimentsAnswer {
  readonly experiments: readonly {
    readonly name: string;
    readonly goal?: { readonly id: string };
  }[];
}
