import { memberOf } from "../../../domain/caller";
import { ApiError } from "../../../domain/errors";
import { givenName } from "../../../domain/given-name";
import type { Deps } from "../../../http/deps";
import { accountOperation } from "../../../http/operation/account-operation";
import { free } from "../../../http/operation/facts";
import type { LoginFailures } from "../../../services/login-failures";
import { securityLetter } from "../../../services/mail/templates";
import { tellOfMember } from "../../../services/webhooks/member-events";
import { actorOf } from "../../../store/control/audit";
import { transferAccount, updateAccount } from "../../../store/control/members";
import { personById } from "../../../store/control/people";
import { memberGuessing } from "../asker";
import { requirePassword } from "../require-password";
import { Done, OwnAccount } from "../schema";
import { viewAs } from "../view";
import { AccountUpdate, TransferRequest } from "./schema";

/** The operations of the owner on the account itself. */
export const ownerRoutes = (deps: Deps, failures: LoginFailures) => [
  changeRoute(deps),
  transferRoute(deps, failures),
];

const changeRoute = (deps: Deps) =>
  accountOperation("PATCH /account", {
    access: free("cookie"),
    doc: {
      id: "changeAccountName",
      summary: "Name the account, or require a second factor",
      description:
        "Members see the name. An empty name shows the owner's address again. `require_two_factor` needs your own " +
        "second factor: browsers of members without one may then only turn theirs on. Keys and agent sessions go on.",
      tag: "Account",
      errors: ["TWO_FACTOR_REQUIRED", "UNAVAILABLE"],
    },
    takes: AccountUpdate,
    returns: { 200: OwnAccount },
    handle: ({ caller, input }) => {
      const { require_two_factor: requiresTwoFactor } = input;
      if (requiresTwoFactor === true && caller.signIn?.hasFactor !== true) {
        throw new ApiError("TWO_FACTOR_REQUIRED", "Turn your own second factor on first.");
      }
      const { id } = caller.account;
      updateAccount(deps.control, actorOf(caller), id, {
        ...(input.name !== undefined && { name: nameOf(input.name) }),
        ...(requiresTwoFactor !== undefined && { requiresTwoFactor }),
      });
      return viewAs(deps, caller, id);
    },
  });

function nameOf(sent: string): string | null {
  const name = givenName(sent.trim());
  return name === "" ? null : name;
}

const transferRoute = (deps: Deps, failures: LoginFailures) =>
  accountOperation("POST /account/transfer", {
    access: free("cookie", "", { fresh: "always" }),
    doc: {
      id: "transferAccount",
      summary: "Transfer the account to an administrator of it",
      description:
        "The administrator becomes the owner, and the owner an administrator. Keys, projects, ids and the plan " +
        "stay. Both get a message where the server sends mail.",
      tag: "Account",
      errors: ["INVALID_CREDENTIALS", "NOT_FOUND", "RATE_LIMITED", "UNAVAILABLE"],
    },
    takes: TransferRequest,
    returns: { 200: Done },
    handle: async ({ caller, input: { to, password } }) => {
      const { control, mail } = deps;
      const from = memberOf(caller);
      const hashNow = () => personById(control, from.personId)?.passwordHash ?? null;
      await requirePassword({ ...deps, failures }, memberGuessing(caller), password, hashNow);
      control.write(() => {
        const { former, owner } = transferAccount(control, actorOf(caller), from, to);
        for (const { email } of [former, owner]) {
          mail.queue("security", email, (sender) => securityLetter(sender, "ownership"));
        }
        tellOfMember(deps, {
          ...{ event: "ownership.transferred", accountId: from.accountId },
          member: { id: owner.id, email: owner.email, role: "owner" },
          by: { id: former.id, email: former.email },
        });
      });
      return { ok: true };
    },
  });
