import { type Config, ConfigError } from "../config";
import { clock } from "../lib/clock";
import { newId } from "../lib/ids";
import { sendMail } from "../services/mail/smtp";
import { testLetter } from "../services/mail/templates";
import { exitCodes, UsageError } from "./command";
import { emailIn } from "./parameters";

/** Sends a test by the mail settings of the environment. Returns 1 when the mail server did not take it. */
export async function mailTrial(
  { mail, publicUrl }: Config,
  parameters: readonly string[],
  print: (text: string) => void,
): Promise<number> {
  const isJson = parameters.includes("--json");
  const others = parameters.filter((one) => one !== "--json");
  if (parameters.length - others.length > 1) throw new UsageError("Pass --json once.");
  const to = emailIn(others, "--to");
  if (mail.way === null) {
    throw new ConfigError(
      `Mail is off. Set ${mail.missing.join(", ")}, then run this command again.`,
    );
  }
  const mailing = { id: newId("msg"), kind: "test" as const, to, atMs: clock.nowMs() };
  const letter = testLetter({ url: publicUrl });
  const outcome = await sendMail(mail.way, { ...mailing, letter });
  const { response } = outcome;
  if (isJson) {
    const stage = outcome.isTaken ? {} : { stage: outcome.stage };
    print(`${JSON.stringify({ ok: outcome.isTaken, ...stage, response })}\n`);
  } else {
    print(
      outcome.isTaken
        ? `The mail server took the test for ${to}: ${response}\n`
        : `The mail server did not take the test. It failed at ${outcome.stage}: ${response}\n`,
    );
  }
  return outcome.isTaken ? exitCodes.done : exitCodes.failed;
}
