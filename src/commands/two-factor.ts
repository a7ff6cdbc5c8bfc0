import type { Config } from "../config";
import { commandLine } from "../domain/audit";
import { dropFactor } from "../store/control/second-factors";
import { UsageError } from "./command";
import { emailAndFlags, withPerson } from "./person";

/**
 * Turns the second factor of a person off, who has lost the phone and the recovery codes. Whoever may write the files
 * could do as much by hand.
 */
export function twoFactor(
  config: Config,
  parameters: readonly string[],
  print: (text: string) => void,
): number {
  const { email, flags } = emailAndFlags(parameters, ["--off", "--json"]);
  if (!flags.has("--off")) throw new UsageError("Pass --off: a person turns the factor on.");
  const wasOn = withPerson(config, email, (control, { id }) =>
    control.write(() => dropFactor(control, commandLine, id)),
  );
  const sentence = wasOn
    ? `Turned off the second factor of ${email}. The password alone logs in now.`
    : `The second factor of ${email} was off already.`;
  print(flags.has("--json") ? `${JSON.stringify({ email, was_on: wasOn })}\n` : `${sentence}\n`);
  return 0;
}
