import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Config, ConfigError } from "../config";
import { ApiError } from "../domain/errors";
import { makeFirstAccountWithKey } from "../features/accounts/first-account";
import { type Control, openControl } from "../store/control/control";
import { openInstallation } from "../store/installation";
import { serverOn } from "../store/lock";
import { databaseFiles } from "./databases";
import { emailIn, type GivenPassword, newPassword } from "./parameters";
import type { Input, Terminal } from "./password-input";

/** Makes the first account and its API key, beside a running server too. Refuses when there is an account. */
export async function setup(
  config: Config,
  parameters: readonly string[],
  input: Input = process.stdin,
  output: Terminal = process.stdout,
): Promise<number> {
  const email = emailIn(parameters);
  refuseSecondFolder(config);
  const address = serverOn(config.dataDir)?.url ?? config.publicUrl;
  openInstallation(config.dataDir, databaseFiles);
  const control = openControl(config);
  try {
    // Before anybody is asked for a password in vain.
    if (control.hasAccounts()) throw setUpAlready(config.dataDir, address);
    const password = await newPassword(input, output);
    const key = await firstKey(control, config, address, { email, ...password });
    output.write(
      [
        `Created the account ${email}. Log in at ${address}/login`,
        `Data folder: ${resolve(config.dataDir)}`,
        ...(password.isMade ? [`Password (shown only once): ${password.password}`] : []),
        `API key (shown only once): ${key}`,
        "",
      ].join("\n"),
    );
    return 0;
  } finally {
    control.close();
  }
}

/** Somebody who stands in another folder than the server does would set up a server that nobody runs. */
function refuseSecondFolder({ dataDir, dataDirIsSet }: Config): void {
  if (dataDirIsSet || existsSync(join(dataDir, "control.db"))) return;
  throw new ConfigError(
    `${resolve(dataDir)} contains no Sightline data. Set DATA_DIR to the server's data folder, or to an ` +
      "empty folder for a new server.",
  );
}

async function firstKey(
  control: Control,
  config: Config,
  address: string,
  first: GivenPassword & { readonly email: string },
): Promise<string> {
  const made = makeFirstAccountWithKey(control, { ...first, tier: config.defaultTier });
  const key = await made.catch((error: unknown) => {
    throw error instanceof ApiError ? new ConfigError(error.message) : error;
  });
  if (key === null) throw setUpAlready(config.dataDir, address);
  return key;
}

const setUpAlready = (dataDir: string, address: string): ConfigError =>
  new ConfigError(
    `${resolve(dataDir)} already has an account, and this command only creates the first one. Log in at ` +
      `${address}/login, or set a new password with \`sightline password --email\`.`,
  );
