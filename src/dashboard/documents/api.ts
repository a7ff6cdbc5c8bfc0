import { addressAt } from "../lib/server-path";

/** Calls our own origin with the browser session's cookie. What it throws has a text for people. */
export async function call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  const init: RequestInit = { method, credentials: "same-origin" };
  if (body !== undefined) init.body = JSON.stringify(body);
  const response = await fetch(addressAt(path), init).catch(() => null);
  if (response === null)
    throw new Error(
      "Cannot reach the server. Check your connection and that the server is running.",
    );
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  const {
    error = "",
    message = `The server responded with status ${response.status}. Try again in a moment.`,
    login_token: loginToken = "",
  } = answer;
  throw new Refused(message, error, loginToken);
}

/** A refusal of the server, with a message for people. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly code: string,
    /** The password was right, and a code is missing: this token brings it. */
    readonly loginToken: string,
  ) {
    super(message);
  }
}

export interface AuthState {
  readonly needs_setup: boolean;
  readonly setup_token_required: boolean;
  readonly registration: "closed" | "open";
  readonly mail: boolean;
  /** Single sign-on, where there is one. */
  readonly oidc?: { readonly name: string };
  readonly password_login: boolean;
  readonly authenticated: boolean;
  readonly account?: { readonly user: { readonly email: string } | null };
}
