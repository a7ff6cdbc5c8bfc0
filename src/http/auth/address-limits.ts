const signInPerMinuteMax = 10;
export const startPerMinuteMax = 20;

export interface AddressLimit {
  readonly bucket: string;
  readonly perMinute: number;
}

const signIn: AddressLimit = { bucket: "sign-in", perMinute: signInPerMinuteMax };
const authorize: AddressLimit = { bucket: "authorize", perMinute: startPerMinuteMax };
const register: AddressLimit = { bucket: "register", perMinute: startPerMinuteMax };
const start: AddressLimit = { bucket: "start", perMinute: startPerMinuteMax };

/** Operations limited by the client's address; those of one bucket share its limit. */
export const addressLimits: ReadonlyMap<string, AddressLimit> = new Map([
  ["POST /auth/login", signIn],
  ["POST /auth/login/second", signIn],
  ["POST /auth/forgot", signIn],
  ["POST /auth/reset", signIn],
  ["POST /auth/signup", signIn],
  ["POST /auth/setup", signIn],
  ["POST /auth/invitation", signIn],
  ["POST /auth/invitation/accept", signIn],
  ["POST /agent-sessions/start", start],
  ["POST /demo/session", start],
  ["GET /oauth/authorize", authorize],
  ["GET /auth/oidc", authorize],
  ["GET /auth/oidc/callback", authorize],
  ["POST /oauth/register", register],
]);
