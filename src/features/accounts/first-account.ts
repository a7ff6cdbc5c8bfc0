import { type Config, ConfigError } from "../../config";
import { commandLine, serverItself } from "../../domain/audit";
import { ApiError } from "../../domain/errors";
import { emailOf, newPasswordOf } from "../../domain/identity";
import { log } from "../../lib/log";
import { Passwords } from "../../services/passwords";
import { addFirstAccount, noteMade, type OwnedAccount } from "../../store/control/accounts";
import { note } from "../../store/control/audit";
import type { Control } from "../../store/control/control";
import { addKey } from "../../store/control/keys";

type AdminConfig = Pick<Config, "adminEmail" | "adminPassword" | "defaultTier">;

/**
 * Makes the first account from ADMIN_EMAIL and ADMIN_PASSWORD, at start. Once there is an account it has no effect, and
 * says so.
 */
export async function makeFirstAccount(
  config: AdminConfig,
  control: Control,
  passwords: Passwords,
): Promise<void> {
  const { adminEmail, adminPassword, defaultTier } = config;
  if (adminEmail === null && adminPassword === null) return;
  if (control.hasAccounts()) {
    log("warn", "ADMIN_EMAIL and ADMIN_PASSWORD were ignored: an account already exists", {
      remedy: "unset them; to set a new password, run `sightline password --email`",
    });
    return;
  }
  if (adminEmail === null || adminPassword === null) {
    throw new ConfigError(
      "Set both ADMIN_EMAIL and ADMIN_PASSWORD to create the first account, or neither.",
    );
  }
  const email = orConfigError("ADMIN_EMAIL", () => emailOf(adminEmail));
  const password = orConfigError("ADMIN_PASSWORD", () => newPasswordOf(adminPassword));
  const first = { email, password, tier: defaultTier };
  const id = await withFirstAccount(control, passwords, first, (made) => {
    noteMade(control, made, serverItself);
    return made.account.id;
  });
  if (id !== null) log("info", "created the first account", { account_id: id });
}

/**
 * Makes the first account and its key, for `sightline setup`: both or nothing. Null when there is an account already.
 */
export const makeFirstAccountWithKey = (
  control: Control,
  first: FirstAccount,
): Promise<string | null> =>
  withFirstAccount(control, new Passwords(), first, (made) => {
    const { account, person } = made;
    noteMade(control, made, commandLine);
    note(control, {
      ...{ accountId: account.id, actor: commandLine, action: "key_made" },
      target: { type: "key", id: person.id, name: person.email },
    });
    return addKey(control, { accountId: account.id, personId: person.id });
  });

interface FirstAccount {
  readonly email: string;
  readonly password: string;
  readonly tier: Config["defaultTier"];
}

/** Makes the account in one transaction with the work after it. Null when there is an account already. */
async function withFirstAccount<T>(
  control: Control,
  passwords: Passwords,
  { email, password, tier }: FirstAccount,
  then: (made: OwnedAccount) => T,
): Promise<T | null> {
  const passwordHash = await passwords.hash(password);
  try {
    return control.write(() => then(addFirstAccount(control, { email, passwordHash, tier })));
  } catch (error) {
    // Another process has made the account meanwhile.
    if (error instanceof ApiError && error.code === "SETUP_DONE") return null;
    throw error;
  }
}

function orConfigError<T>(name: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ConfigError(`${name}: ${error.message}`);
  }
}
