import { ApiError } from "../../domain/errors";
import { emailOf, newPasswordOf } from "../../domain/identity";
import type { Deps } from "../../http/deps";
import { free } from "../../http/operation/facts";
import { publicOperation } from "../../http/operation/public-operation";
import { addAccount, addFirstAccount, noteMade } from "../../store/control/accounts";
import { visitor } from "./asker";
import { SetupRequest, SignedIn, SignupRequest } from "./schema";
import { needsSetupToken, refuseWrongToken } from "./setup-token";
import { refuseForeignPage, requirePasswordLogin, signIn } from "./sign-in";

/** The operations that make accounts, but for those of administrators. */
export const signUpRoutes = (deps: Deps) => [setupRoute(deps), signupRoute(deps)];

const setupRoute = (deps: Deps) =>
  publicOperation("POST /auth/setup", {
    access: free("none"),
    doc: {
      id: "setUp",
      summary: "Create the first account",
      description:
        "Creates the administrator of this server and logs in. Works once. From another machine, through a " +
        "proxy, or with PUBLIC_URL set, it needs the `setup_token` that the server printed at its start; GET " +
        "/auth/state tells whether.",
      tag: "Sign-in",
      errors: ["SETUP_DONE", "FORBIDDEN", "CSRF_FAILED", "UNAVAILABLE"],
    },
    takes: SetupRequest,
    returns: { 201: SignedIn },
    handle: async ({ input, peer, request }) => {
      const { config, control, server } = deps;
      refuseForeignPage(config, request);
      if (control.hasAccounts()) {
        throw new ApiError("SETUP_DONE", "This server is already set up. Log in instead.");
      }
      if (needsSetupToken(deps, peer(), request.headers)) {
        refuseWrongToken(server.setupToken, input.setup_token);
      }
      const email = emailOf(input.email);
      const password = newPasswordOf(input.password);
      const passwordHash = await deps.passwords.hash(password, visitor(deps, peer()));
      const made = { email, passwordHash, tier: config.defaultTier };
      const { person } = control.write(() => {
        const added = addFirstAccount(control, made);
        noteMade(control, added);
        return added;
      });
      return signIn(deps, person.id, 201, request);
    },
  });

const signupRoute = (deps: Deps) =>
  publicOperation("POST /auth/signup", {
    access: free("none"),
    doc: {
      id: "signUp",
      summary: "Create an account",
      description: "Creates an account and logs in, if the operator allows sign-up.",
      tag: "Sign-in",
      errors: [
        "REGISTRATION_CLOSED",
        "PASSWORD_LOGIN_OFF",
        "ACCOUNT_EXISTS",
        "CSRF_FAILED",
        "UNAVAILABLE",
      ],
    },
    takes: SignupRequest,
    returns: { 201: SignedIn },
    handle: async ({ input, peer, request }) => {
      const { config, control } = deps;
      refuseForeignPage(config, request);
      // Before the first account there is nobody to administer the ones that sign up.
      if (config.registration === "closed" || !control.hasAccounts()) {
        throw new ApiError(
          "REGISTRATION_CLOSED",
          "Sign-up is closed on this server. Ask its administrator for an account.",
        );
      }
      requirePasswordLogin(deps);
      const email = emailOf(input.email);
      const password = newPasswordOf(input.password);
      const passwordHash = await deps.passwords.hash(password, visitor(deps, peer()));
      const made = { email, passwordHash, tier: config.defaultTier };
      const { person } = control.write(() => {
        const added = addAccount(control, made);
        noteMade(control, added);
        return added;
      });
      return signIn(deps, person.id, 201, request);
    },
  });
