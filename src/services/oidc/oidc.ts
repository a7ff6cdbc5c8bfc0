/*
 * Single sign-on is one provider, by the authorization code with PKCE.
 * Decision: `openid-client` speaks the protocol and checks the ID token: its signature by the provider's keys, `iss`,
 * `aud`, `exp` and `nonce`. It is loaded with the first sign-in.
 * Because: this is where a mistake lets strangers in.
 * Cost: 0.3 MB of the executable.
 */

import type { Configuration } from "openid-client";
import type { OidcSettings } from "../../config-oidc";
import { log } from "../../lib/log";

/** The secrets of one sign-in, which its browser brings back. */
export interface OidcSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** A person as the provider knows them. */
export interface OidcPerson {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  /** Null where the provider says nothing about it. */
  readonly isVerified: boolean | null;
}

export type OidcRefusal = "oidc_unavailable" | "oidc_refused";

const answerSecondsMax = 10;

export class Oidc {
  #known: Promise<Configuration> | null = null;

  constructor(
    readonly settings: OidcSettings,
    private readonly redirectUri: string,
  ) {}

  /** The address of the provider's log-in, with what its answer is checked against. Null while it does not answer. */
  async begin(): Promise<{ readonly url: string; readonly secrets: OidcSecrets } | null> {
    try {
      const client = await import("openid-client");
      const configuration = await this.#configuration();
      const secrets = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: this.redirectUri,
        scope: this.settings.scopes,
        code_challenge: await client.calculatePKCECodeChallenge(secrets.verifier),
        code_challenge_method: "S256",
        ...{ state: secrets.state, nonce: secrets.nonce },
      });
      return { url: url.href, secrets };
    } catch (error) {
      this.#note(error);
      return null;
    }
  }

  /** Exchanges the code in the query of the callback for the person. */
  async finish(query: string, secrets: OidcSecrets): Promise<OidcPerson | OidcRefusal> {
    try {
      const client = await import("openid-client");
      const configuration = await this.#configuration();
      const tokens = await client.authorizationCodeGrant(
        configuration,
        new URL(this.redirectUri + query),
        {
          pkceCodeVerifier: secrets.verifier,
          ...{ expectedState: secrets.state, expectedNonce: secrets.nonce, idTokenExpected: true },
        },
      );
      const claims = tokens.claims();
      if (claims === undefined) return "oidc_refused";
      const { iss: issuer, sub: subject } = claims;
      const told =
        claims.email === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined
          ? await client.fetchUserInfo(configuration, tokens.access_token, subject)
          : claims;
      const { email, email_verified: isVerified } = told;
      return {
        ...{ issuer, subject },
        email: typeof email === "string" ? email : null,
        isVerified: typeof isVerified === "boolean" ? isVerified : null,
      };
    } catch (error) {
      this.#note(error);
      return isOutage(error) ? "oidc_unavailable" : "oidc_refused";
    }
  }

  /** The provider's own description. The server fetches it once, and again after a failure. */
  #configuration(): Promise<Configuration> {
    this.#known ??= this.#discover().catch((error: unknown) => {
      this.#known = null;
      throw error;
    });
    return this.#known;
  }

  async #discover(): Promise<Configuration> {
    const client = await import("openid-client");
    const { issuer, clientId, clientSecret } = this.settings;
    const url = new URL(issuer);
    return client.discovery(url, clientId, clientSecret, undefined, {
      timeout: answerSecondsMax,
      execute: [
        // Only a provider on this machine may be asked without encryption (config-oidc.ts).
        ...(url.protocol === "http:" ? [client.allowInsecureRequests] : []),
        // Without it the library trusts the encrypted connection alone.
        client.enableNonRepudiationChecks,
      ],
    });
  }

  /** Neither tokens nor addresses are in what the library throws; the name and code are enough. */
  #note(error: unknown): void {
    const why = error instanceof Error ? error.name : "unknown";
    log("warn", "a single sign-on failed", { why, code: codeOf(error) });
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "";

/** The provider did not answer, or its answer breaks the protocol: the server learned nothing about the person. */
const isOutage = (error: unknown): boolean =>
  /^(ECONN|ENOTFOUND|ETIMEDOUT|ConnectionRefused|FailedToOpenSocket|OAUTH_TIMEOUT)/.test(
    codeOf(error),
  ) ||
  (error instanceof Error &&
    /^(TypeError|TimeoutError|AbortError)$/.test(error.name) &&
    codeOf(error) === "");
