import { randomBytes } from "node:crypto";
import { type Config, ConfigError } from "../config";
import { ApiError } from "../domain/errors";
import { emailOf, newPasswordOf } from "../domain/identity";
import { makeFirstAccountWithKey } from "../features/accounts/first-account";
import { type Control, openControl } from "../store/control/control";
import { type Input, passwordFrom, type Terminal } from "./password-input";

const usage = `Usage: sightline setup --email you@example.com

The password comes from a prompt, from standard input, or is made and printed when that is empty.`;

/** 120 bits, in characters that a person can copy by hand. */
const madePasswordBytes = 15;

/** Makes the first account and its API key, beside a running server too. Refuses when there is an account. */
export async function setup(
  config: Config,
  parameters: readonly string[],
  input: Input = process.stdin,
  output: Terminal = process.stdout,
): Promise<number> {
  const email = orConfigError(() => emailOf(emailIn(parameters)));
  const control = openControl(config);
  try {
    // Before anybody is asked for a password in vain.
    if (control.hasAccounts()) throw setUpAlready(config);
    const given = await passwordFrom(input, output);
    const password = given === "" ? randomBytes(madePasswordBytes).toString("base64url") : given;
    const first = { email, password: orConfigError(() => newPasswordOf(password)) };
    const key = await firstKey(control, config, first);
    output.write(
      [
        `The account ${email} is ready: ${config.publicUrl}/login`,
        ...(given === "" ? [`Password, shown only now: ${password}`] : []),
        `API key, shown only now:  ${key}`,
        "",
      ].join("\n"),
    );
    return 0;
  } finally {
    control.close();
  }
}

async function firstKey(
  control: Control,
  config: Config,
  first: { readonly email: string; readonly password: string },
): Promise<string> {
  const made = makeFirstAccountWithKey(control, { ...first, tier: config.defaultTier });
  const key = await made.catch((error: unknown) => {
    throw error instanceof ApiError ? new ConfigError(error.message) : error;
  });
  if (key === null) throw setUpAlready(config);
  return key;
}

const setUpAlready = ({ dataDir, publicUrl }: Config): ConfigError =>
  new ConfigError(
    `${dataDir} has an account already, and this command only makes the first. Log in at ${publicUrl}/login.`,
  );

/** `--email you@example.com` or `--email=you@example.com`, and nothing else. */
function emailIn(parameters: readonly string[]): string {
  const [first = "", second, ...rest] = parameters;
  const written = /^--email=(.*)$/s.exec(first)?.[1];
  const email = written ?? (first === "--email" ? second : undefined);
  const surplus = written === undefined ? rest.length : parameters.length - 1;
  if (email === undefined || surplus > 0) throw new ConfigError(usage);
  return email;
}

/** What a request would be refused for, the person at the terminal is told in the same words. */
function orConfigError<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof ApiError ? new ConfigError(error.message) : error;
  }
}
