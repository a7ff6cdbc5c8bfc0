const stackFramesMax = 8;

/**
 * Tells where an error came from. Its message is left out unless it is one of our assertions: others may quote what a
 * client sent.
 */
export function describeFault(thrown: unknown): Readonly<Record<string, string>> {
  if (!(thrown instanceof Error)) return { fault: typeof thrown };
  const frames = (thrown.stack ?? "").split("\n").filter((line) => /^\s*at /.test(line));
  const isAssertion = thrown.message.startsWith("Assertion failed: ");
  return {
    fault: isAssertion ? thrown.message : nameOf(thrown),
    at: frames
      .slice(0, stackFramesMax)
      .map((line) => line.trim())
      .join(" < "),
  };
}

/** Most of our own classes have no name of their own. */
const nameOf = (error: Error): string =>
  error.name === "Error" ? error.constructor.name : error.name;
