import { Goals } from "../domain/goals/goals";
import type { Deps } from "./deps";

/** The goals of a project, which are looked up only when somebody asks for one. */
export const goalsOf = ({ control }: Deps, { id }: { readonly id: string }): Goals =>
  new Goals(() => control.goals.ofProject(id));
