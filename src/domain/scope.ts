/**
 * What an agent session may be allowed to do, in the words of the page that asks a person for it. `x:write` includes
 * `x:read`.
 */
export const scopeWords = {
  "account:read": "View the account: email, plan, usage and sessions",
  "members:read": "View the members of the account",
  "projects:read": "View projects and portfolios, with their contexts",
  "projects:write": "View, create, change and delete projects and portfolios, with their contexts",
  "analytics:read": "Read all numbers, and the events and profiles of individual visitors",
  "live:read": "Watch visitors live",
  "experiments:read": "View experiments and their results",
  "experiments:write": "View, create, change and delete experiments",
  "feedback:write": "Send feedback to the administrator of this server",
  "replays:read": "Watch session replays",
  "replays:write": "Watch and delete session replays, and change what is recorded",
  "data:write": "Import files into projects, and remove what imports stored",
  "data:export": "Download everything that projects have stored: all events, ids and profiles",
} as const satisfies Readonly<Record<`${string}:${"read" | "write" | "export"}`, string>>;

export type Scope = keyof typeof scopeWords;

const isScope = (text: string): text is Scope => Object.hasOwn(scopeWords, text);

export const scopes: readonly Scope[] = Object.keys(scopeWords).filter(isScope);

/** The scopes of a client that asks for nothing in particular. */
export const scopesDefault: readonly Scope[] = ["account:read", "projects:read", "analytics:read"];

/** The scopes of a client that signs in by OAuth and asks for nothing in particular. */
export const oauthScopesDefault: readonly Scope[] = [
  ...scopesDefault,
  "live:read",
  "experiments:read",
];

/** The scopes that tools for changes need, which a person may add to what a client asks for. */
export const scopesOfTools: readonly Scope[] = [
  "projects:write",
  "experiments:write",
  "feedback:write",
];

/** The known ones among what was asked for, each once, in the order of asking. */
export const knownScopes = (asked: readonly string[]): readonly Scope[] =>
  [...new Set(asked)].filter(isScope);
