import * as second from "@modelcontextprotocol/client";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { TestApp } from "./app";
import { answerPage, authorize, locationOf } from "./oauth";

/** What both generations of the protocol's own SDK can do, as far as it is tried here. */
export interface SdkClient {
  toolNames(): Promise<readonly string[]>;
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<unknown>;
  version(): string | undefined;
  close(): Promise<void>;
}

export interface Sdk {
  readonly name: string;
  /** The revision that it comes to speak with us. */
  readonly revision: string;
  connect(url: string, login: Login): Promise<SdkClient>;
  /** Brings the code of an approval home. */
  finish(url: string, login: Login, back: URL): Promise<void>;
  isUnauthorized(error: unknown): boolean;
}

/** A client's memory, as an application that uses an SDK writes it. */
export class Login {
  readonly redirectUrl = "http://127.0.0.1:7777/callback";
  readonly clientMetadata = {
    client_name: "SDK",
    redirect_uris: [this.redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
  /** The address to which the person's browser was sent last. */
  openedUrl: URL | null = null;
  client: { readonly client_id: string } | undefined;
  kept: { readonly refresh_token?: string; readonly access_token: string } | undefined;
  /** The number of times that tokens were saved. */
  saves = 0;
  #verifier = "";
  #discovered: object | undefined;

  constructor(readonly clientMetadataUrl?: string) {}

  state = () => "state-of-the-sdk";
  clientInformation = () => this.client;
  saveClientInformation(made: { readonly client_id: string }): void {
    this.client = made;
  }
  tokens = () => this.kept;
  saveTokens(tokens: { readonly access_token: string }): void {
    this.kept = tokens;
    this.saves += 1;
  }
  redirectToAuthorization(url: URL): void {
    this.openedUrl = url;
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  codeVerifier = () => this.#verifier;
  saveDiscoveryState(state: object): void {
    this.#discovered = state;
  }
  discoveryState = () => this.#discovered;
  invalidateCredentials(which: string): void {
    if (which === "all" || which === "tokens") this.kept = undefined;
    if (which === "all" || which === "client") this.client = undefined;
  }
}

const told = { name: "test", version: "1.0.0" };

const firstTransport = (url: string, login: Login) =>
  new StreamableHTTPClientTransport(new URL(url), { authProvider: login as never });

const firstSdk: Sdk = {
  name: "1.x",
  revision: "2025-11-25",
  isUnauthorized: (error) => error instanceof UnauthorizedError,
  async connect(url, login) {
    const client = new Client(told);
    const transport = firstTransport(url, login);
    await client.connect(transport as never);
    return {
      toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: (name, args) => client.callTool({ name, arguments: args }),
      version: () => transport.protocolVersion,
      close: () => client.close(),
    };
  },
  finish: (url, login, back) =>
    firstTransport(url, login).finishAuth(back.searchParams.get("code") ?? ""),
};

const secondTransport = (url: string, login: Login) =>
  new second.StreamableHTTPClientTransport(new URL(url), { authProvider: login as never });

const secondSdk: Sdk = {
  name: "2.x",
  revision: "2026-07-28",
  isUnauthorized: (error) => error instanceof second.UnauthorizedError,
  async connect(url, login) {
    const client = new second.Client(told, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    await client.connect(secondTransport(url, login));
    return {
      toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: (name, args) => client.callTool({ name, arguments: args }),
      version: () => client.getNegotiatedProtocolVersion(),
      close: () => client.close(),
    };
  },
  finish: (url, login, back) => secondTransport(url, login).finishAuth(back.searchParams),
};

export const sdks: readonly Sdk[] = [firstSdk, secondSdk];

/** The person whose browser the client has opened: approves, and is sent back. */
export async function approveInBrowser(app: TestApp, { openedUrl }: Login): Promise<URL> {
  if (openedUrl === null) throw new Error("No browser was opened.");
  const asked = await authorize(app, `${openedUrl.pathname}${openedUrl.search}`);
  return locationOf(await answerPage(app, locationOf(asked).pathname));
}
