import { type Config, localUrlOf } from "../config";
import { localUrlIn } from "../store/lock";
import { exitCodes } from "./command";

/** A server that cannot say within this time whether it is ready, is not. */
const answerMsMax = 5_000;

interface Outcome {
  readonly ok: boolean;
  readonly url: string;
  /** The checks of the server; null when it did not answer. */
  readonly checks: Readonly<Record<string, string>> | null;
  readonly message: string;
}

/** Asks the server of the data folder, or of PORT, whether it is ready. Returns 1 when it is not. */
export async function health(
  config: Config,
  print: (text: string) => void,
  isJson: boolean,
): Promise<number> {
  const outcome = await askAt(addressOf(config));
  print(`${isJson ? JSON.stringify(outcome) : outcome.message}\n`);
  return outcome.ok ? exitCodes.done : exitCodes.failed;
}

/** A user who cannot look into the folder can still ask at PORT. */
function addressOf(config: Config): string {
  try {
    return localUrlIn(config.dataDir) ?? localUrlOf(config);
  } catch {
    return localUrlOf(config);
  }
}

async function askAt(url: string): Promise<Outcome> {
  try {
    const answer = await fetch(`${url}/health/ready`, {
      signal: AbortSignal.timeout(answerMsMax),
      // The certificate is for the name that visitors use, and this connection does not leave the machine.
      tls: { rejectUnauthorized: false },
    });
    const { checks }: { checks: Readonly<Record<string, string>> } = JSON.parse(
      await answer.text(),
    );
    const failed = Object.entries(checks).flatMap(([name, check]) =>
      check === "ok" ? [] : [name],
    );
    const ok = answer.ok && failed.length === 0;
    const message = `The server at ${url} is ${ok ? "ready." : `not ready: ${failed.join(", ")} failed.`}`;
    return { ok, url, checks, message };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "no valid answer";
    const message =
      `No server answers at ${url} (${code}). Start the server, or set DATA_DIR or PORT to those of the ` +
      "running one.";
    return { ok: false, url, checks: null, message };
  }
}
