import { generateKeyPair } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { promisify } from "node:util";
import { Provider, type ProviderContext } from "oidc-provider";

/** A provider of single sign-on as others make them, on this machine: it lets in the person that was named last. */
export interface TestProvider {
  readonly issuer: string;
  /** The settings of a server that uses it. */
  readonly environment: Readonly<Record<string, string>>;
  /** The claims of the provider about the person who logs in next. */
  person: { readonly id: string; readonly email?: string; readonly email_verified?: boolean };
  /** Refuses the next log-in, as a person who presses Cancel does. */
  isRefusing: boolean;
  /** Goes through the log-in as a browser does. Returns the address of our callback, which was not opened. */
  logIn(address: string): Promise<URL>;
  close(): Promise<void>;
}

const callbackOfTests = "http://localhost:3000/auth/oidc/callback";
const hour = 3_600;
const ttl = { AccessToken: hour, AuthorizationCode: 60, Grant: hour, IdToken: hour };

export async function oidcProvider(callbackUrl = callbackOfTests): Promise<TestProvider> {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const place = server.address();
  const issuer = `http://127.0.0.1:${typeof place === "object" ? place?.port : ""}`;
  const [clientId, clientSecret] = ["sightline", "a secret of the client, of the tests"];
  const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: 2_048 });
  const provider = new Provider(issuer, {
    clients: [
      {
        ...{ client_id: clientId, client_secret: clientSecret, redirect_uris: [callbackUrl] },
        ...{ grant_types: ["authorization_code"], response_types: ["code"] },
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), alg: "RS256", use: "sig" }] },
    cookies: { keys: ["of the tests"] },
    features: { devInteractions: { enabled: false } },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: [] },
    pkce: { required: () => true },
    ttl: { ...ttl, Interaction: hour, Session: hour },
    findAccount: async (_: unknown, id: string) => ({
      accountId: id,
      claims: async () => {
        const { email, email_verified } = made.person;
        return { sub: id, email, email_verified };
      },
    }),
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    loadExistingGrant: async ({ oidc: { provider: own, client, session } }: ProviderContext) => {
      const grant = new own.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
  });
  const callback = provider.callback();
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.startsWith("/interaction/") !== true) return callback(request, response);
    const result = made.isRefusing
      ? { error: "access_denied" }
      : { login: { accountId: made.person.id } };
    await provider.interactionFinished(request, response, result, {
      mergeWithLastSubmission: false,
    });
  }
  const made: TestProvider = {
    issuer,
    environment: {
      ...{ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret },
    },
    person: { id: "nobody" },
    isRefusing: false,
    logIn: (address) => followed(new URL(address), callbackUrl),
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
  return made;
}

/** Follows redirects with cookies, up to our own address. */
async function followed(first: URL, callbackUrl: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = first;
  for (let steps = 0; steps < 10; steps++) {
    if (url.href.startsWith(callbackUrl)) return url;
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(url, { redirect: "manual", headers: { cookie } });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const location = answer.headers.get("location");
    if (location === null) throw new Error(`The provider answered ${answer.status}.`);
    url = new URL(location, url);
  }
  throw new Error("The provider leads in circles.");
}
