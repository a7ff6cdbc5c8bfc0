import type { Config } from "../config";
import { commandLine } from "../domain/audit";
import { hourMs } from "../lib/clock";
import { noteOfPerson } from "../store/control/audit";
import { addPasswordLink, handedLinkMs } from "../store/control/password-links";
import { serverOn } from "../store/lock";
import { emailAndFlags, withPerson } from "./person";

/** Prints a link by which a person sets a new password, beside a running server too. */
export function resetLink(
  config: Config,
  parameters: readonly string[],
  print: (text: string) => void,
): number {
  const { email, flags } = emailAndFlags(parameters, ["--json"]);
  const { token, expiresAtMs } = withPerson(config, email, (control, { id }) =>
    control.write(() => {
      noteOfPerson(control, id, {
        ...{ actor: commandLine, action: "account_changed" },
        ...{ target: { type: "person", id, name: email }, details: { reset_link: true } },
      });
      return addPasswordLink(control, id, handedLinkMs);
    }),
  );
  const url = `${serverOn(config.dataDir)?.url ?? config.publicUrl}/reset#${token}`;
  const expiresAt = new Date(expiresAtMs).toISOString();
  print(
    flags.has("--json")
      ? `${JSON.stringify({ email, url, expires_at: expiresAt })}\n`
      : `Give this link to ${email}. It works once, for ${handedLinkMs / hourMs} hours.\n${url}\n`,
  );
  return 0;
}
