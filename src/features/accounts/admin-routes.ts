import { changedFields } from "../../domain/audit";
import type { Caller } from "../../domain/caller";
import { emailOf, newPasswordOf } from "../../domain/identity";
import type { Deps } from "../../http/deps";
import { accountOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { clock } from "../../lib/clock";
import { securityLetter } from "../../services/mail/templates";
import {
  accountById,
  accountsOfPeople,
  addAccount,
  changeAccount,
  type OwnedAccount,
  projectCounts,
} from "../../store/control/accounts";
import { actorOf, audited, note, noteOfPerson } from "../../store/control/audit";
import { accountEntry } from "./account-entry";
import { noSuchAccount } from "./account-owner";
import { member } from "./asker";
import { Account, AccountChange, AccountCreation, AccountList, DeletedAccount } from "./schema";
import { viewOwned } from "./view";

/** The operations of an administrator on other accounts. */
export const adminRoutes = (deps: Deps) => [
  listRoute(deps),
  createRoute(deps),
  changeRoute(deps),
  deleteRoute(deps),
];

const listRoute = (deps: Deps) =>
  accountOperation("GET /admin/accounts", {
    access: free("admin"),
    doc: {
      id: "listAccounts",
      summary: "List all accounts",
      description: "Oldest first, each like GET /account for its owner.",
      tag: "Administration",
    },
    takes: nothing,
    returns: { 200: AccountList },
    handle: () => {
      const projects = projectCounts(deps.control);
      return {
        accounts: accountsOfPeople(deps.control).map((owned) =>
          viewOwned(deps, owned, projects.get(owned.account.id) ?? 0),
        ),
      };
    },
  });

const createRoute = (deps: Deps) =>
  accountOperation("POST /admin/accounts", {
    access: free("admin"),
    doc: {
      id: "createAccount",
      summary: "Create an account for someone",
      description:
        "Works even if registration is closed. Give the user the password; they can change it.",
      tag: "Administration",
      errors: ["ACCOUNT_EXISTS", "UNAVAILABLE"],
    },
    takes: AccountCreation,
    returns: { 201: Account },
    handle: async ({ caller, input }) => {
      const { tier = deps.config.defaultTier, complimentary = false, is_admin = false } = input;
      const email = emailOf(input.email);
      const passwordHash = await deps.passwords.hash(newPasswordOf(input.password), member(caller));
      const made = { email, passwordHash, tier, complimentary, isAdmin: is_admin, isProven: true };
      const added = audited(
        deps.control,
        () => addAccount(deps.control, made),
        ({ account: { id } }) =>
          accountEntry(caller, "account_made", { id, email }, { tier, complimentary, is_admin }),
      );
      return viewOwned(deps, added);
    },
  });

const changeRoute = (deps: Deps) =>
  accountOperation("PATCH /admin/accounts/{id}", {
    access: free("admin"),
    doc: {
      id: "changeAccount",
      summary: "Change an account's plan, rights, email or password",
      description:
        "Absent fields stay unchanged. A new password ends the account's browser sessions, but not its agent " +
        "sessions or API key. The last administrator cannot lose that right.",
      tag: "Administration",
      errors: ["NOT_FOUND", "ACCOUNT_EXISTS", "UNAVAILABLE"],
    },
    takes: AccountChange,
    returns: { 200: Account },
    handle: async ({ caller, input, params: { id = "" } }) => {
      const { email, password, tier, complimentary, is_admin } = input;
      const change = {
        ...(email !== undefined && { email: emailOf(email) }),
        ...(tier !== undefined && { tier }),
        ...(complimentary !== undefined && { complimentary }),
        ...(is_admin !== undefined && { isAdmin: is_admin }),
        ...(password !== undefined && {
          passwordHash: await deps.passwords.hash(newPasswordOf(password), member(caller)),
        }),
      };
      const changed = deps.control.write(() => {
        const before = accountById(deps.control, id);
        const after = changeAccount(deps.control, id, change, caller.sessionHash);
        if (before === undefined || after === undefined) return undefined;
        tellOwner(deps, before, after);
        noteChanged(deps, caller, before, after);
        return after;
      });
      if (changed === undefined) throw noSuchAccount();
      return viewOwned(deps, changed);
    },
  });

const deleteRoute = (deps: Deps) =>
  accountOperation("DELETE /admin/accounts/{id}", {
    access: free("admin"),
    doc: {
      id: "deleteAccountOf",
      summary: "Delete an account",
      description:
        "Like DELETE /account, without the password. The last administrator cannot be deleted.",
      tag: "Administration",
      errors: ["NOT_FOUND", "UNAVAILABLE"],
    },
    takes: nothing,
    returns: { 200: DeletedAccount },
    handle: ({ caller, params: { id = "" } }) => {
      const { control } = deps;
      control.write(() => {
        const { email = "" } = accountById(control, id)?.person ?? {};
        if (!control.deletion.account(id, clock.nowMs())) throw noSuchAccount();
        note(control, accountEntry(caller, "account_deleted", { id, email }));
      });
      return { ok: true, deleted: id };
    },
  });

/** The server's log has the change of the account; the accounts of the owner have that of the password. */
function noteChanged(
  { control }: Deps,
  caller: Caller,
  { account: accountBefore, person: before }: OwnedAccount,
  { account, person }: OwnedAccount,
): void {
  const rights = (of: typeof account, who: typeof person) => ({
    ...{ email: who.email, tier: of.tier, complimentary: of.complimentary },
    is_admin: who.isAdmin,
  });
  const isReset = person.passwordHash !== before.passwordHash;
  const details = {
    ...changedFields(rights(accountBefore, before), rights(account, person)),
    ...(isReset && { password: "replaced" }),
  };
  if (Object.keys(details).length === 0) return;
  const { email } = before;
  note(control, accountEntry(caller, "account_changed", { id: account.id, email }, details));
  if (!isReset) return;
  const target = { type: "person", id: person.id, name: person.email };
  noteOfPerson(control, person.id, { actor: actorOf(caller), action: "password_reset", target });
}

/** The address of before learns of it: that of after may be somebody else's. */
function tellOwner(
  { mail }: Deps,
  { person: before }: OwnedAccount,
  { person: after }: OwnedAccount,
): void {
  const tell = (change: "email" | "password") =>
    mail.queue("security", before.email, (sender) => securityLetter(sender, change));
  if (after.email !== before.email) tell("email");
  if (after.passwordHash !== before.passwordHash) tell("password");
}
