/** An event by its name, or a goal by its id. */
export interface ChosenEvent {
  readonly event?: string;
  readonly goal?: string;
}

/** Returns the event or the goal that the parameters of an address name. */
export function chosenIn(params: URLSearchParams, name: string): ChosenEvent | null {
  const [goal, event] = [params.get("goal_id") ?? "", params.get(name) ?? ""];
  return goal !== "" ? { goal } : event !== "" ? { event } : null;
}
