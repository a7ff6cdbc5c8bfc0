import { Elysia } from "elysia";
import type { Deps } from "../../http/deps";
import { nothing } from "../../http/operation/input";
import { accountOperation } from "../../http/operation/operation";
import { LoginFailures } from "../../services/login-failures";
import { adminRoutes } from "./admin-routes";
import { browserSessionRoutes } from "./browser-session-routes";
import { deletionRoute } from "./deletion-route";
import { keyRoutes } from "./key-routes";
import { Account } from "./schema";
import { signInRoutes } from "./sign-in-routes";
import { signUpRoutes } from "./sign-up-routes";
import { viewAccount } from "./view";

/** Who somebody is: set-up, log-in, the account itself, its API key. */
export const accountsRoutes = (deps: Deps) => {
  const failures = new LoginFailures();
  return new Elysia({ name: "accounts" })
    .use(signUpRoutes(deps))
    .use(signInRoutes(deps, failures))
    .use(accountRoute(deps))
    .use(deletionRoute(deps, failures))
    .use(browserSessionRoutes(deps))
    .use(keyRoutes(deps))
    .use(adminRoutes(deps));
};

const accountRoute = (deps: Deps) =>
  accountOperation(deps, "GET /account", {
    doc: {
      id: "getAccount",
      summary: "The account, its plan and what it has used",
      description:
        "Who the credential belongs to, what its tier allows (-1 is unlimited) and what this UTC month has used of " +
        "it. Ask it first to see that a credential works.",
      tag: "Account",
    },
    takes: nothing,
    returns: { 200: Account },
    handle: ({ caller }) => viewAccount(deps, caller.account),
  });
