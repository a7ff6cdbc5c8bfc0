import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Config, ConfigError } from "../config";
import { commandLine } from "../domain/audit";
import { ApiError } from "../domain/errors";
import { grantedRoles } from "../domain/role";
import { dayMs } from "../lib/clock";
import { accountById, accountsOfPeople, type OwnedAccount } from "../store/control/accounts";
import { type Control, openControl } from "../store/control/control";
import { invitationMs, invite as inviteTo } from "../store/control/invitations";
import { openInstallation } from "../store/installation";
import { serverOn } from "../store/lock";
import { UsageError } from "./command";
import { databaseFiles } from "./databases";
import { emailOfParameter } from "./parameters";

/**
 * Invites a person to an account, beside a running server too, and prints the link: for a server that sends no mail,
 * and for an account that nobody can administer any more.
 */
export function invite(
  config: Config,
  parameters: readonly string[],
  print: (text: string) => void,
): number {
  const { email, role, accountId, isJson } = asked(parameters);
  const { dataDir } = config;
  if (!existsSync(join(dataDir, "control.db"))) {
    throw new ConfigError(
      `${resolve(dataDir)} contains no Sightline data. Set DATA_DIR to the server's data folder.`,
    );
  }
  openInstallation(dataDir, databaseFiles);
  const control = openControl(config);
  try {
    const { account, person } = accountFor(control, accountId);
    const made = { accountId: account.id, email, role, projects: null, people: role !== "viewer" };
    const { row, token } = inviteTo(
      control,
      commandLine,
      { ...made, invitedBy: person.email },
      () => null,
    );
    const url = `${serverOn(dataDir)?.url ?? config.publicUrl}/invite#${token}`;
    const name = account.name ?? person.email;
    const expiresAt = new Date(row.expiresAtMs).toISOString();
    print(
      isJson
        ? `${JSON.stringify({ id: row.id, account: account.id, email, role, url, expires_at: expiresAt })}\n`
        : `Give this link to ${email}. It works once, for ${invitationMs / dayMs} days, and makes ` +
            `them ${role} of ${name}.\n${url}\n`,
    );
    return 0;
  } catch (error) {
    throw error instanceof ApiError ? new ConfigError(error.message) : error;
  } finally {
    control.close();
  }
}

/** The account that is named, or the only one. */
function accountFor(control: Control, id: string | null): OwnedAccount {
  const all = id === null ? accountsOfPeople(control) : [accountById(control, id)];
  const [found, ...others] = all;
  if (found !== undefined && others.length === 0) return found;
  throw new ConfigError(
    id === null
      ? `This server has ${all.length} accounts. Name one with --account <id>; GET /admin/accounts lists them.`
      : `This server has no account ${id}.`,
  );
}

const words = ["--email", "--account", "--role"] as const;

function asked(parameters: readonly string[]) {
  const given = new Map<string, string>();
  const rest = parameters.filter((one) => one !== "--json");
  for (let at = 0; at < rest.length; ) {
    const [, name = "", joined] = /^(--\w+)(?:=(.*))?$/s.exec(rest[at] ?? "") ?? [];
    const value = joined ?? rest[at + 1];
    if (!words.some((one) => one === name) || given.has(name) || value === undefined) {
      throw new UsageError(
        "invite takes --email, --account, --role and --json, each at most once.",
      );
    }
    given.set(name, value);
    at += joined === undefined ? 2 : 1;
  }
  const role = grantedRoles.find((one) => one === (given.get("--role") ?? "viewer"));
  if (role === undefined) throw new UsageError(`--role is one of ${grantedRoles.join(", ")}.`);
  return {
    email: emailOfParameter(given.get("--email")),
    role,
    accountId: given.get("--account") ?? null,
    isJson: parameters.length > rest.length,
  };
}
