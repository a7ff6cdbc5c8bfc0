import Type from "typebox";
import { ObjectId, Timestamp } from "../../domain/fields";
import { emailCharsMax } from "../../domain/limits";
import { scopes } from "../../domain/scope";
import { ofOwner, ofServer, ofVisitors, orNull, schema } from "../../lib/schema";

export const clientTypeCharsMax = 64;
export const clientTextCharsMax = 200;
export const callbackUrlCharsMax = 2_000;
export const scopesAskedMax = 100;

const ok = Type.Literal(true);
const Token = Type.String({ ...ofServer, maxLength: 52 });
const Scopes = Type.Array(Type.Enum([...scopes]), { maxItems: scopes.length });
const Mode = Type.Enum(["interactive", "detached"], {
  default: "interactive",
  description:
    "interactive: the browser returns to callback_url. detached: the page shows a finish code to copy.",
});

/** The length of tokens and the like that a client sends: longer than anything we hand out. */
const sentTokenCharsMax = 256;
const SentToken = Type.String({ minLength: 1, maxLength: sentTokenCharsMax });
const ClientText = Type.Optional(Type.String({ maxLength: clientTextCharsMax }));

export const StartRequest = schema(
  Type.Object(
    {
      client_type: Type.String({
        minLength: 1,
        maxLength: clientTypeCharsMax,
        description: "Kind of client: cli, mcp, …",
      }),
      mode: Mode,
      client_name: ClientText,
      client_instance_id: ClientText,
      label: ClientText,
      callback_url: Type.Optional(
        Type.String({
          description:
            `Required for interactive clients, at most ${callbackUrlCharsMax} characters: http on 127.0.0.1, [::1] ` +
            "or localhost, any port and path.",
        }),
      ),
      scopes: Type.Optional(
        Type.Array(Type.String(), {
          maxItems: scopesAskedMax,
          description: `Any of ${scopes.join(", ")}. Unknown scopes are ignored.`,
        }),
      ),
      code_challenge: Type.Optional(
        Type.String({
          description: "SHA-256 of the code verifier, as 64 hex or 43 base64url characters.",
        }),
      ),
      metadata: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), { description: "At most 4 KiB as JSON." }),
      ),
    },
    { $id: "StartAgentSessionRequest" },
  ),
);
export const Started = schema(
  Type.Object(
    {
      ok,
      auth_request_id: ObjectId,
      authorize_url: Type.String({ ...ofServer, description: "A person opens it and approves." }),
      approval_code: Type.String({
        ...ofServer,
        maxLength: 8,
        description: "The page shows it too. Show it in your program, so the person can compare.",
      }),
      poll_token: Token,
      mode: Type.Enum(["interactive", "detached"]),
      expires_at: Timestamp,
      scopes: Scopes,
    },
    { $id: "StartedAgentSession" },
  ),
);

export const PollRequest = schema(
  Type.Object(
    { auth_request_id: SentToken, poll_token: SentToken },
    { $id: "PollAgentSessionRequest" },
  ),
);
export const Polled = schema(
  Type.Object(
    {
      status: Type.Enum(["pending", "approved", "exchanged"]),
      exchange_code: orNull(Token),
      account_id: orNull(ObjectId),
      approved_email: orNull(Type.String({ ...ofOwner, maxLength: emailCharsMax })),
    },
    { $id: "PolledAgentSession" },
  ),
);

export const ExchangeRequest = schema(
  Type.Object(
    {
      auth_request_id: SentToken,
      exchange_code: SentToken,
      code_verifier: Type.Optional(
        Type.String({
          description: "43 to 128 characters; required if the request had a code_challenge.",
        }),
      ),
    },
    { $id: "ExchangeAgentSessionRequest" },
  ),
);
const Owner = Type.Object({
  id: ObjectId,
  email: Type.String({ ...ofOwner, maxLength: emailCharsMax }),
  github_login: Type.Null(),
  google_name: Type.Null(),
  tier: Type.Enum(["free", "pro"]),
});
const tokens = {
  access_token: Token,
  refresh_token: Token,
  access_expires_at: Timestamp,
  refresh_expires_at: Timestamp,
  scopes: Scopes,
};
export const Exchanged = schema(
  Type.Object(
    { ok, agent_session: Type.Object({ id: ObjectId, ...tokens }), account: Owner },
    { $id: "ExchangedAgentSession" },
  ),
);

export const RefreshRequest = schema(
  Type.Object({ refresh_token: SentToken }, { $id: "RefreshAgentSessionRequest" }),
);
export const Refreshed = schema(
  Type.Object(
    {
      ok,
      agent_session: Type.Object({ id: ObjectId, session_id: ObjectId, ...tokens }),
      account: Owner,
    },
    { $id: "RefreshedAgentSession" },
  ),
);

export const RevokeRequest = schema(
  Type.Object({ session_id: SentToken }, { $id: "RevokeAgentSessionRequest" }),
);
export const Revoked = schema(
  Type.Object({ ok, session_id: ObjectId }, { $id: "RevokedAgentSession" }),
);

export const AgentSessions = schema(
  Type.Object(
    {
      sessions: Type.Array(
        Type.Object({
          id: ObjectId,
          client_type: Type.String({ ...ofVisitors, maxLength: clientTypeCharsMax }),
          client_name: orNull(Type.String({ ...ofVisitors, maxLength: clientTextCharsMax })),
          client_instance_id: orNull(Type.String({ ...ofVisitors, maxLength: clientTextCharsMax })),
          label: orNull(Type.String({ ...ofVisitors, maxLength: clientTextCharsMax })),
          scopes: Scopes,
          status: Type.Enum(["active", "revoked"]),
          created_at: Timestamp,
          last_used_at: Timestamp,
          access_expires_at: Timestamp,
          refresh_expires_at: Timestamp,
          revoked_at: orNull(Timestamp),
        }),
      ),
    },
    { $id: "AgentSessions" },
  ),
);
