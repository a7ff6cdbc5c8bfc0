import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Config, ConfigError } from "../config";
import { ApiError } from "../domain/errors";
import { type Control, openControl } from "../store/control/control";
import type { PersonRow } from "../store/control/member-tables";
import { personByEmail } from "../store/control/people";
import { openInstallation } from "../store/installation";
import { UsageError } from "./command";
import { databaseFiles } from "./databases";
import { emailIn } from "./parameters";

/** Does something about the log-in of a person, beside a running server too. Throws ConfigError. */
export function withPerson<T>(
  config: Config,
  email: string,
  work: (control: Control, person: PersonRow) => T,
): T {
  const { dataDir } = config;
  if (!existsSync(join(dataDir, "control.db"))) {
    throw new ConfigError(
      `${resolve(dataDir)} contains no Sightline data. Set DATA_DIR to the server's data folder.`,
    );
  }
  openInstallation(dataDir, databaseFiles);
  const control = openControl(config);
  try {
    const found = personByEmail(control, email);
    if (found !== undefined) return work(control, found);
    throw new ConfigError(`${resolve(dataDir)} has no log-in with the email ${email}.`);
  } catch (error) {
    throw error instanceof ApiError ? new ConfigError(error.message) : error;
  } finally {
    control.close();
  }
}

/** Returns the address after --email, and which of these flags are given beside it, each at most once. */
export function emailAndFlags<Flag extends string>(
  parameters: readonly string[],
  known: readonly Flag[],
): { readonly email: string; readonly flags: ReadonlySet<Flag> } {
  const flags = new Set<Flag>();
  const rest = parameters.filter((one) => {
    const flag = known.find((each) => each === one);
    if (flag === undefined) return true;
    if (flags.has(flag)) throw new UsageError(`Pass ${flag} once.`);
    flags.add(flag);
    return false;
  });
  return { email: emailIn(rest), flags };
}
