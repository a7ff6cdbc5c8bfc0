import { ApiError } from "../errors";
import { type NamedGoal, nameKeyOf } from "./definition";

/** The goals of a project as one request sees them, from first to last. */
export class Goals {
  readonly #load: () => readonly NamedGoal[];
  readonly #stored: readonly NamedGoal[];
  #loaded: readonly NamedGoal[] | null = null;

  constructor(load: () => readonly NamedGoal[], stored: readonly NamedGoal[] = []) {
    this.#load = load;
    this.#stored = stored;
  }

  /**
   * Returns the same goals and the goals that stored filters name: an id stays valid for these filters when
   * its goal is deleted.
   */
  beside = (stored: readonly NamedGoal[]): Goals => new Goals(() => this.all, stored);

  /** Oldest first. */
  get all(): readonly NamedGoal[] {
    this.#loaded ??= this.#load();
    return this.#loaded;
  }

  /** The goal with an id, else the one with a name, whatever its case. */
  find(text: string): NamedGoal | undefined {
    const key = nameKeyOf(text);
    const isNamed = ({ name }: NamedGoal): boolean => nameKeyOf(name) === key;
    const isMeant = ({ id }: NamedGoal): boolean => id === text;
    return this.all.find(isMeant) ?? this.all.find(isNamed) ?? this.#stored.find(isMeant);
  }

  /** The same. Throws GOAL_NOT_FOUND. */
  named(text: string): NamedGoal {
    const found = this.find(text);
    if (found !== undefined) return found;
    throw new ApiError(
      "GOAL_NOT_FOUND",
      "The project has no goal with this name. `goals` lists the names of its goals; POST /goals creates one.",
      { goals: this.all.map(({ name }) => name) },
    );
  }
}
