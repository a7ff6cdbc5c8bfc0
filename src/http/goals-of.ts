import { Goals } from "../domain/goals/goals";
import type { Deps } from "./deps";

/** Returns the goals of a project, which it reads from control.db at the first use. */
export const goalsOf = ({ control }: Deps, { id }: { readonly id: string }): Goals =>
  new Goals(() => control.goals.ofProject(id));
