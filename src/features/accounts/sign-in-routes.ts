import { type Caller, memberOf } from "../../domain/caller";
import { ApiError } from "../../domain/errors";
import { newPasswordOf, normalEmail } from "../../domain/identity";
import { identifyCaller, sessionOf } from "../../http/auth/caller";
import { foreignPage, isOwnOrigin } from "../../http/auth/own-origin";
import { clearedCookie, sessionSecretsOf } from "../../http/auth/session-cookie";
import type { Deps } from "../../http/deps";
import { reply } from "../../http/edge/reply";
import { accountOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { publicOperation } from "../../http/operation/public-operation";
import { noteOfPerson } from "../../store/control/audit";
import { changePassword, dropSession, personByEmail, personById } from "../../store/control/people";
import { factorSince } from "../../store/control/second-factors";
import { guesserOf, memberGuessing } from "./asker";
import type { Guards } from "./guards";
import { personEntry } from "./person-entry";
import { requirePassword, wrongCredentials } from "./require-password";
import { AuthState, Done, LoginRequest, PasswordRequest, SignedIn } from "./schema";
import { withSecurityMail } from "./security-mail";
import { needsSetupToken } from "./setup-token";
import { refuseForeignPage, requirePasswordLogin, signIn } from "./sign-in";
import { requireSecondStep } from "./two-factor/second-step-route";
import { viewCaller } from "./view";

/** Log-in and log-out of people, and what a page asks before it shows either. */
export const signInRoutes = (deps: Deps, guards: Guards) => [
  stateRoute(deps),
  loginRoute(deps, guards),
  logoutRoute(deps),
  passwordRoute(deps, guards),
];

const stateRoute = (deps: Deps) =>
  publicOperation("GET /auth/state", {
    access: free("none"),
    doc: {
      id: "getAuthState",
      summary: "Get the log-in state",
      description: "Tells a page whether to show set-up, log-in or the dashboard.",
      tag: "Sign-in",
    },
    takes: nothing,
    returns: { 200: AuthState },
    handle: ({ peer, request }) => {
      const { config, control } = deps;
      const needsSetup = !control.hasAccounts();
      const caller = callerOrNull(deps, request);
      const state = {
        needs_setup: needsSetup,
        setup_token_required: needsSetup && needsSetupToken(deps, peer(), request.headers),
        registration: config.registration,
        billing: config.billing !== null,
        mail: deps.mail.isOn,
        ...(config.oidc !== null && { oidc: { name: config.oidc.name } }),
        password_login: config.oidc?.isOnly !== true,
        authenticated: caller !== null,
        ...(caller === null ? {} : { account: viewCaller(deps, caller) }),
      };
      const renewed = caller?.setCookie ?? null;
      return reply(200, state, {
        "cache-control": "no-store",
        ...(renewed === null ? {} : { "set-cookie": renewed }),
      });
    },
  });

/** A credential that is no good is none, for a page that asks who is there. */
function callerOrNull(deps: Deps, request: Request): Caller | null {
  try {
    return identifyCaller(deps, request);
  } catch (error) {
    if (error instanceof ApiError && /^(INVALID_TOKEN|FORBIDDEN)$/.test(error.code)) return null;
    throw error;
  }
}

const loginRoute = (deps: Deps, guards: Guards) =>
  publicOperation("POST /auth/login", {
    access: free("none"),
    doc: {
      id: "logIn",
      summary: "Log in to the dashboard",
      description:
        "For browsers: the response sets a cookie. Programs use an API key. With a second factor the right password " +
        "is answered 401 SECOND_FACTOR_REQUIRED: go on with POST /auth/login/second.",
      tag: "Sign-in",
      errors: [
        "INVALID_CREDENTIALS",
        "SECOND_FACTOR_REQUIRED",
        "PASSWORD_LOGIN_OFF",
        "CSRF_FAILED",
        "UNAVAILABLE",
      ],
    },
    takes: LoginRequest,
    returns: { 200: SignedIn },
    handle: async ({ input, peer, request }) => {
      refuseForeignPage(deps.config, request);
      const email = normalEmail(input.email);
      const hashNow = () => personByEmail(deps.control, email)?.passwordHash ?? null;
      const guesser = guesserOf(deps, email, peer(), request.headers);
      await requirePassword({ ...deps, ...guards }, guesser, input.password, hashNow);
      const found = personByEmail(deps.control, email);
      if (found === undefined) throw wrongCredentials();
      const hasFactor = factorSince(deps.control, found.id) !== null;
      requirePasswordLogin(deps, found.isAdmin && hasFactor);
      requireSecondStep(deps, guards, found);
      return signIn(deps, found.id, 200, request);
    },
  });

const logoutRoute = (deps: Deps) =>
  publicOperation("POST /auth/logout", {
    access: free("none"),
    doc: {
      id: "logOut",
      summary: "Log out this browser",
      description: "Ends only this browser's session. Responds the same without a session.",
      tag: "Sign-in",
      errors: ["CSRF_FAILED", "UNAVAILABLE"],
    },
    takes: nothing,
    returns: { 200: Done },
    handle: ({ request }) => {
      const { config, control } = deps;
      const session = sessionOf(deps, sessionSecretsOf(request.headers));
      if (session !== undefined) {
        if (!isOwnOrigin(config, request.headers)) {
          throw foreignPage(config, "Log out from a page of");
        }
        dropSession(control, session.hash);
      }
      return reply(200, { ok: true }, { "set-cookie": clearedCookie(config) });
    },
  });

const passwordRoute = (deps: Deps, guards: Guards) =>
  accountOperation("POST /auth/password", {
    access: free("cookie", "", { role: "viewer" }),
    doc: {
      id: "changePassword",
      summary: "Change the password",
      description:
        "Ends the account's other browser sessions, but not its agent sessions or API key.",
      tag: "Sign-in",
      errors: ["INVALID_CREDENTIALS", "RATE_LIMITED", "UNAVAILABLE"],
    },
    takes: PasswordRequest,
    returns: { 200: Done },
    handle: async ({ caller, input }) => {
      const { control } = deps;
      const password = newPasswordOf(input.new_password, "new_password");
      const { personId: id } = memberOf(caller);
      const guesser = memberGuessing(caller);
      const hashNow = () => personById(control, id)?.passwordHash ?? null;
      const before = await requirePassword(
        { ...deps, ...guards },
        guesser,
        input.current_password,
        hashNow,
      );
      const passwordHash = await deps.passwords.hash(password, guesser.asker);
      // An administrator may have reset it meanwhile.
      if (hashNow() !== before) throw wrongCredentials();
      withSecurityMail(deps, caller, "password", () => {
        changePassword(control, id, passwordHash, caller.sessionHash);
        noteOfPerson(control, id, personEntry(caller, "password_changed"));
      });
      return { ok: true };
    },
  });
