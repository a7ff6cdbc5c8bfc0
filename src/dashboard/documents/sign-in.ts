import { addressAt, leaveFor } from "../lib/server-path";
import { type AuthState, call } from "./api";
import { input, onSubmit, say, show } from "./dom";
import { logIn } from "./log-in";

/** /setup: makes the first account, then goes on to /app. */
export async function startSetup(): Promise<void> {
  const state = await call<AuthState>("GET", "/auth/state");
  if (!state.needs_setup) return leaveFor(state.authenticated ? "/app" : "/login");
  const token = new URLSearchParams(location.search).get("token") ?? "";
  // The token is a secret that would otherwise stay in the address bar and the history.
  if (token !== "") history.replaceState(null, "", addressAt("/setup"));
  input("setup-token").value = token;
  show("setup-token-row", state.setup_token_required && token === "");
  onSubmit("setup-form", "alert", async () => {
    await call("POST", "/auth/setup", {
      email: input("email").value,
      password: input("password").value,
      setup_token: input("setup-token").value.trim() || null,
    });
    leaveFor("/app");
  });
  focusFirst();
}

/** /login */
export async function startLogin(): Promise<void> {
  // Somebody may be faster than the answer below.
  onSubmit("login-form", "alert", async () => {
    if (await logIn(input("email").value, input("password").value)) leaveFor(nextPage());
  });
  onSubmit("sign-up-form", "sign-up-alert", async () => {
    const [email, password] = [input("new-email").value, input("new-password").value];
    await call("POST", "/auth/signup", { email, password });
    leaveFor(nextPage());
  });
  onSubmit("forgot-form", "forgot-alert", async () => {
    await call("POST", "/auth/forgot", { email: input("forgot-email").value });
    show("forgot-done");
  });
  const state = await call<AuthState>("GET", "/auth/state");
  if (state.needs_setup) return leaveFor("/setup");
  showSingleSignOn(state);
  // If the identity could not be linked, the person is logged in, and stays here to read the reason.
  if (state.authenticated && refusal() === "") return leaveFor(nextPage());
  show("stay", state.authenticated);
  show("sign-up", state.registration === "open" && state.password_login);
  show(state.mail ? "forgot-form" : "no-mail");
  focusFirst();
}

const refusals: Readonly<Record<string, string>> = {
  oidc_refused:
    "Single sign-on did not let you in: you are not invited, your address is not verified there, or the identity is " +
    "linked to another log-in.",
  oidc_link:
    "Your address has a log-in here. Log in with its password, then link single sign-on in the settings.",
  oidc_unavailable: "Single sign-on does not answer. Try again in a moment, or use your password.",
};

const refusal = (): string =>
  refusals[new URLSearchParams(location.search).get("error") ?? ""] ?? "";

function showSingleSignOn({ oidc }: AuthState): void {
  say("oidc-alert", refusal());
  if (oidc === undefined) return;
  const link = document.getElementById("oidc-link");
  link?.append(`Log in with ${oidc.name}`);
  link?.setAttribute("href", addressAt(`/auth/oidc?next=${encodeURIComponent(nextPage())}`));
  show("oidc");
}

/** /reset: the token stands behind #, which browsers send to no server. */
export async function startReset(): Promise<void> {
  const token = location.hash.slice(1);
  onSubmit("reset-form", "alert", async () => {
    await call("POST", "/auth/reset", { token, password: input("password").value });
    // The link is used up.
    history.replaceState(null, "", addressAt("/reset"));
    show("reset-form", false);
    show("reset-done");
  });
  input("password").focus();
}

/** An email that the browser filled in is not to be lost, so only an empty field takes the focus. */
function focusFirst(): void {
  const first = ["email", "password"].find((id) => input(id).value === "");
  if (first !== undefined) input(first).focus();
}

/** Returns the page to which a log-in leads: that which asked for it, never another site's. */
function nextPage(): string {
  const asked = new URLSearchParams(location.search).get("next") ?? "";
  if (!asked.startsWith("/") || !URL.canParse(asked, location.origin)) return "/app";
  const next = new URL(asked, location.origin);
  return next.origin === location.origin ? next.pathname + next.search + next.hash : "/app";
}
