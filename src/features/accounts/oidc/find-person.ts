import { ApiError } from "../../../domain/errors";
import { emailOf } from "../../../domain/identity";
import type { Deps } from "../../../http/deps";
import { newId, newToken } from "../../../lib/ids";
import type { OidcPerson } from "../../../services/oidc/oidc";
import { acceptInvitationsOf } from "../../../store/control/invitations";
import {
  joinByDomain,
  linkIdentity,
  personOfIdentity,
} from "../../../store/control/oidc-identities";
import { personByEmail, personById } from "../../../store/control/people";

export type Unknown = "oidc_link" | "oidc_refused";

/**
 * Finds the log-in of the provider's person, or makes one for a person who is invited or has a joining domain. An
 * address links to a log-in only where both sides have proved it: the provider by its word, we by an invitation, a
 * link, an administrator or the set-up. Whoever signed up here with somebody else's address would otherwise get their
 * account.
 */
export async function findPerson(
  deps: Deps,
  found: OidcPerson,
): Promise<{ readonly id: string } | Unknown> {
  const { control } = deps;
  const known = personOfIdentity(control, found);
  if (known !== undefined) return known;
  const email = provenEmail(deps, found);
  if (email === null) return "oidc_refused";
  // A newcomer gets a random password, which a link for a forgotten one replaces.
  const isNew = personByEmail(control, email) === undefined;
  const passwordHash = isNew ? await deps.passwords.hash(newToken("pwt")) : "";
  try {
    return control.write(() => linked(deps, found, email, passwordHash));
  } catch (error) {
    // The account has no room.
    if (error instanceof ApiError && error.code !== "UNAVAILABLE") return "oidc_refused";
    throw error;
  }
}

function provenEmail({ config }: Deps, { email, isVerified }: OidcPerson): string | null {
  const isProven = isVerified ?? config.oidc?.trustsEmail ?? false;
  if (!isProven || email === null) return null;
  try {
    return emailOf(email);
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

function linked(
  { config, control }: Deps,
  found: OidcPerson,
  email: string,
  passwordHash: string,
): { readonly id: string } | Unknown {
  // The same person may have come twice at once.
  const known = personOfIdentity(control, found);
  if (known !== undefined) return known;
  const existing = personByEmail(control, email);
  if (existing !== undefined && !existing.isProven) return "oidc_link";
  if (existing === undefined && passwordHash === "") return "oidc_refused";
  const joined = acceptInvitationsOf(control, email, existing ?? { passwordHash });
  const id = existing?.id ?? joined?.personId ?? newId("usr");
  const { join = null } = config.oidc ?? {};
  if (personById(control, id) === undefined) {
    const isMeant = join?.domains.includes(email.slice(email.lastIndexOf("@") + 1)) === true;
    if (join === null || !isMeant) return "oidc_refused";
    const { accountId, role } = join;
    if (!joinByDomain(control, { accountId, role, id, email, passwordHash })) return "oidc_refused";
  }
  linkIdentity(control, { id, email }, found);
  return { id };
}
