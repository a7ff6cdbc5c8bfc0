import { readFileSync } from "node:fs";
import { ConfigError } from "../config";
import { flawsOfRelease } from "../lib/release-sums";
import { releaseKey } from "../version";
import { exitCodes, UsageError } from "./command";

const usage = "Pass the folder of a release, then --key <file> and --json if you need them.";

/** Compares the files of a release with their signed sums. Returns 1 when one is not as it was signed. */
export function verifyRelease(
  parameters: readonly string[],
  print: (text: string) => void,
  builtInKey: string | null = releaseKey,
): number {
  const isJson = parameters.includes("--json");
  const [folder = "", flag, keyFile, ...more] = parameters.filter((one) => one !== "--json");
  const isKeyGiven = flag === "--key" && keyFile !== undefined;
  if (
    folder === "" ||
    folder.startsWith("-") ||
    more.length > 0 ||
    !(isKeyGiven || flag === undefined)
  ) {
    throw new UsageError(usage);
  }
  const key = isKeyGiven ? keyIn(keyFile) : builtInKey;
  if (key === null) {
    throw new ConfigError(
      "The sources of this executable had no public key of the releases yet. Pass the public key with --key " +
        "<file>; whoever made the release has it.",
    );
  }
  const flaws = flawsOfRelease(folder, key);
  const ok = flaws.length === 0;
  const text = ok ? "All files are as they were signed." : flaws.join("\n");
  print(isJson ? `${JSON.stringify({ ok, flaws })}\n` : `${text}\n`);
  return ok ? exitCodes.done : exitCodes.failed;
}

function keyIn(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    throw new ConfigError(
      `This user cannot read the key ${file}. Check the path and its permissions.`,
    );
  }
}
