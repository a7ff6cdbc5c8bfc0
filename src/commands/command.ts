/** A sub-command of the executable. */
export interface Command {
  readonly name: string;
  /** Each way to call it, without `sightline`, and what that does. */
  readonly calls: readonly (readonly [call: string, purpose: string])[];
  /** The lines of its own help below the calls. */
  readonly notes: readonly string[];
  /** Resolves with the exit code. Throws UsageError for parameters that it does not take. */
  run(parameters: readonly string[]): Promise<number>;
}

/** The exit codes of every command. */
export const exitCodes = { done: 0, failed: 1, wrongUsage: 2, serverLost: 3 } as const;

/** A command was called in a way that it does not take. Its help follows the message. */
export class UsageError extends Error {}

/** Returns the flags among the parameters of a command that takes these and nothing else. */
export function flagsIn<Flag extends string>(
  parameters: readonly string[],
  taken: readonly Flag[],
): ReadonlySet<Flag> {
  const flags = new Set<Flag>();
  for (const parameter of parameters) {
    const flag = taken.find((one) => one === parameter);
    if (flag === undefined || flags.has(flag)) {
      throw new UsageError(
        `This command takes only ${taken.join(", ")}, at most once. Set everything else by environment variables.`,
      );
    }
    flags.add(flag);
  }
  return flags;
}

/** Returns the one folder among the parameters. */
export function folderIn([folder, ...more]: readonly string[]): string {
  if (folder === undefined || folder === "" || folder.startsWith("-") || more.length > 0) {
    throw new UsageError("Pass exactly one folder.");
  }
  return folder;
}
