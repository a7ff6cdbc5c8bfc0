import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Config, ConfigError } from "../config";
import { commandLine } from "../domain/audit";
import { Passwords } from "../services/passwords";
import { noteOfPerson } from "../store/control/audit";
import { openControl } from "../store/control/control";
import { changePerson, personByEmail } from "../store/control/people";
import { openInstallation } from "../store/installation";
import { serverOn } from "../store/lock";
import { databaseFiles } from "./databases";
import { emailIn, newPassword } from "./parameters";
import type { Input, Terminal } from "./password-input";

/**
 * Gives an account a new password, beside a running server too, and ends its browser sessions, as a change of the
 * password does. It serves an administrator who has lost it: whoever may write the files could do as much by hand.
 */
export async function password(
  config: Config,
  parameters: readonly string[],
  input: Input = process.stdin,
  output: Terminal = process.stdout,
): Promise<number> {
  const email = emailIn(parameters);
  const { dataDir } = config;
  if (!existsSync(join(dataDir, "control.db"))) {
    throw new ConfigError(
      `${resolve(dataDir)} contains no Sightline data. Set DATA_DIR to the server's data folder.`,
    );
  }
  const address = serverOn(dataDir)?.url ?? config.publicUrl;
  openInstallation(config.dataDir, databaseFiles);
  const control = openControl(config);
  try {
    const found = personByEmail(control, email);
    if (found === undefined) {
      throw new ConfigError(`${resolve(dataDir)} has no account with the email ${email}.`);
    }
    const given = await newPassword(input, output);
    const passwordHash = await new Passwords().hash(given.password);
    control.write(() => {
      changePerson(control, found.id, { passwordHash }, null);
      noteOfPerson(control, found.id, {
        ...{ actor: commandLine, action: "password_reset" },
        target: { type: "person", id: found.id, name: found.email },
      });
    });
    output.write(
      [
        `Set a new password for ${email} and logged out all its browsers. Log in at ${address}/login`,
        ...(given.isMade ? [`Password (shown only once): ${given.password}`] : []),
        "",
      ].join("\n"),
    );
    return 0;
  } finally {
    control.close();
  }
}
