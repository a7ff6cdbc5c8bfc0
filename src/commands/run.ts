import { version } from "../version";
import { type Command, exitCodes, UsageError } from "./command";
import { commands } from "./list";
import { ServerLost } from "./remote/remote-error";
import { sentenceFor } from "./sentence";

const asksForHelp: ReadonlySet<string> = new Set(["help", "--help", "-h"]);
const asksForVersion: ReadonlySet<string> = new Set(["--version", "-v"]);

/** Runs the sub-command that the arguments name, and resolves with the exit code. */
export async function run([first, ...parameters]: readonly string[]): Promise<number> {
  if (first === undefined) return misused(generalHelp());
  if (asksForHelp.has(first)) return help(parameters);
  const name = asksForVersion.has(first) ? "version" : first;
  const command = commands.find((one) => one.name === name);
  if (command === undefined) return misused(`Unknown command "${name}".\n\n${generalHelp()}`);
  if (parameters.some((one) => one === "--help" || one === "-h")) return say(helpOf(command));
  try {
    return await command.run(parameters);
  } catch (error) {
    if (error instanceof UsageError) return misused(`${error.message}\n\n${helpOf(command)}`);
    // It is not thrown on: serve listens to uncaught exceptions, and then nobody would be left to say 1.
    process.stderr.write(`${sentenceFor(error) ?? Bun.inspect(error)}\n`);
    return error instanceof ServerLost ? exitCodes.serverLost : exitCodes.failed;
  }
}

function help([name, ...more]: readonly string[]): number {
  if (name === undefined || asksForHelp.has(name)) return say(generalHelp());
  const command = commands.find((one) => one.name === name);
  if (command !== undefined && more.length === 0) return say(helpOf(command));
  return misused(`No help for "${[name, ...more].join(" ")}".\n\n${generalHelp()}`);
}

const generalHelp = (): string => `Sightline ${version}: self-hosted web analytics.

${table([
  ...commands.flatMap(({ calls }) => calls),
  ["help [command]", "print this text, or the help of one command"],
])}
Settings are environment variables. A running server lists them at /docs/operate/configuration.
`;

const helpOf = ({ calls, notes }: Command): string =>
  `${table(calls)}${notes.length === 0 ? "" : `\n${notes.join("\n")}\n`}`;

function table(calls: Command["calls"]): string {
  const width = Math.max(...calls.map(([call]) => call.length));
  return calls.map(([call, does]) => `  sightline ${call.padEnd(width)}  ${does}\n`).join("");
}

function say(text: string): number {
  process.stdout.write(text);
  return exitCodes.done;
}

function misused(text: string): number {
  process.stderr.write(text);
  return exitCodes.wrongUsage;
}
