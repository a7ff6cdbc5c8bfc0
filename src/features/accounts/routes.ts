import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { accountOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { adminRoutes } from "./admin-routes";
import { browserSessionRoutes } from "./browser-session-routes";
import { confirmRoute } from "./confirm-route";
import { deletionRoute } from "./deletion-route";
import { accountExample } from "./examples";
import { newGuards } from "./guards";
import { keyRoutes } from "./key-routes";
import { invitationRoutes } from "./members/invitation-routes";
import { joiningRoutes } from "./members/joining-routes";
import { memberRoutes } from "./members/member-routes";
import { ownerRoutes } from "./members/owner-routes";
import { identityRoutes } from "./oidc/identity-routes";
import { oidcRoutes } from "./oidc/routes";
import { passwordLinkRoutes } from "./password-link-routes";
import { OwnAccount } from "./schema";
import { signInRoutes } from "./sign-in-routes";
import { signUpRoutes } from "./sign-up-routes";
import { twoFactorOffRoute } from "./two-factor/admin-route";
import { twoFactorRoutes } from "./two-factor/routes";
import { secondStepRoute } from "./two-factor/second-step-route";
import { viewCaller } from "./view";

/** The operations of set-up, log-in, the account itself and its API key. */
export const accountsFeature = (deps: Deps): Feature => {
  const guards = newGuards();
  const { failures } = guards;
  return {
    operations: [
      ...signUpRoutes(deps),
      ...signInRoutes(deps, guards),
      secondStepRoute(deps, guards),
      confirmRoute(deps, guards),
      ...twoFactorRoutes(deps, guards),
      ...passwordLinkRoutes(deps),
      ...oidcRoutes(deps),
      ...identityRoutes(deps, guards),
      accountRoute(deps),
      deletionRoute(deps, failures),
      ...browserSessionRoutes(deps),
      ...keyRoutes(deps),
      ...memberRoutes(deps),
      ...invitationRoutes(deps),
      ...joiningRoutes(deps),
      ...ownerRoutes(deps, failures),
      ...adminRoutes(deps),
      twoFactorOffRoute(deps),
    ],
  };
};

const accountRoute = (deps: Deps) =>
  accountOperation("GET /account", {
    access: free("account:read", "D"),
    doc: {
      id: "getAccount",
      summary: "Get the account with its plan and usage",
      description:
        "The account of the credential, the limits of its tier (-1 is unlimited), the usage of this UTC month, " +
        "and the rights of the person behind the credential. Use it to check that a credential works.",
      tag: "Account",
      example: accountExample,
    },
    takes: nothing,
    returns: { 200: OwnAccount },
    handle: ({ caller }) => viewCaller(deps, caller),
  });
