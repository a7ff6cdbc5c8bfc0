import { Goals } from "../../../src/domain/goals/goals";

/** A project without goals. */
export const noGoals = new Goals(() => []);
