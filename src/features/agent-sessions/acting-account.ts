import type { Caller } from "../../domain/caller";
import { seesPeople } from "../../domain/role";
import type { Deps } from "../../http/deps";
import { accountsOfPerson } from "../../store/control/members";
import { said } from "./said";

/**
 * The account in which the program will act, on the approval page: the one in which the person acts. The address of
 * the page can name another one, as everywhere (http/auth/caller.ts). So the person sees the facts of an account before
 * they approve access to it, and can change it without a script.
 */
export interface ActingAccount {
  /** The account and the person, as rows of the list of facts: the name of each, and markup. */
  readonly facts: readonly (readonly [string, string])[];
  /** Markup: what limits the program in this account, and the links to the person's other accounts. */
  readonly choice: string;
  /** The query that names the account, for the forms of the page. */
  readonly query: string;
}

export function actingAccount({ control }: Pick<Deps, "control">, caller: Caller): ActingAccount {
  const { account, person, standing } = caller;
  const email = person?.email ?? "";
  const all = person === null ? [] : accountsOfPerson(control, person.id);
  const name = all.find(({ id }) => id === account.id)?.name ?? email;
  return {
    facts: [["Account", said(name)], ...(name === email ? [] : [["You", said(email)] as const])],
    choice: limitOf(standing) + linksTo(all.filter(({ id }) => id !== account.id)),
    query: `?account=${account.id}`,
  };
}

/** Administrators and owners can do all that a scope names. */
function limitOf(standing: Caller["standing"]): string {
  if (standing === null) return "";
  const { role, projects } = standing;
  const isLimited = role === "viewer" || role === "editor";
  if (!isLimited && projects === null) return "";
  const limits = [
    ...(isLimited && !seesPeople(standing) ? ["does not see single visitors"] : []),
    ...(projects === null ? [] : ["sees only the projects that you see"]),
  ];
  const noun = role === "viewer" ? "a viewer" : `an ${role}`;
  const does = limits.length === 0 ? "" : `: it ${limits.join(", and ")}`;
  return `<p id="account-limit">You are ${noun} of this account, so the program can do no more than ${noun}
can${does}.</p>
`;
}

function linksTo(others: readonly { id: string; name: string; role: string }[]): string {
  if (others.length === 0) return "";
  const items = others.map(
    ({ id, name, role }) => `<li><a href="?account=${id}">${said(name)}</a> (${role})</li>`,
  );
  return `<details id="account-choice"><summary>Use another of your accounts</summary>
<ul>
${items.join("\n")}
</ul>
</details>
`;
}
