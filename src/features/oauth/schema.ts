import Type, { type Static } from "typebox";
import { ofServer, ofVisitors, schema } from "../../lib/schema";

const text = Type.String(ofServer);
const texts = Type.Array(text);

export const ProtectedResource = schema(
  Type.Object(
    {
      resource: text,
      authorization_servers: texts,
      scopes_supported: texts,
      bearer_methods_supported: texts,
      resource_name: text,
      resource_documentation: text,
    },
    { $id: "ProtectedResource" },
  ),
);

export const AuthorizationServer = schema(
  Type.Object(
    {
      issuer: text,
      authorization_endpoint: text,
      token_endpoint: text,
      registration_endpoint: text,
      revocation_endpoint: text,
      scopes_supported: texts,
      response_types_supported: texts,
      response_modes_supported: texts,
      grant_types_supported: texts,
      token_endpoint_auth_methods_supported: texts,
      revocation_endpoint_auth_methods_supported: texts,
      code_challenge_methods_supported: texts,
      client_id_metadata_document_supported: Type.Boolean(),
      authorization_response_iss_parameter_supported: Type.Boolean(),
      service_documentation: text,
    },
    { $id: "AuthorizationServer" },
  ),
);

export const OauthTokens = schema(
  Type.Object(
    {
      access_token: text,
      token_type: Type.Literal("Bearer"),
      expires_in: Type.Integer(),
      refresh_token: text,
      scope: text,
    },
    { $id: "OauthTokens" },
  ),
);

export const OauthClient = schema(
  Type.Object(
    {
      client_id: text,
      client_id_issued_at: Type.Integer(),
      client_name: Type.Optional(Type.String(ofVisitors)),
      redirect_uris: Type.Array(Type.String(ofVisitors)),
      grant_types: texts,
      response_types: texts,
      token_endpoint_auth_method: Type.Literal("none"),
    },
    { $id: "OauthClient" },
  ),
);

export const OauthRefusal = schema(
  Type.Object(
    {
      error: Type.Enum([
        "invalid_request",
        "invalid_client",
        "invalid_grant",
        "invalid_scope",
        "invalid_target",
        "unsupported_grant_type",
        "unsupported_response_type",
        "invalid_redirect_uri",
        "invalid_client_metadata",
      ]),
      error_description: text,
    },
    { $id: "OauthRefusal" },
  ),
);
export type OauthRefusal = Static<typeof OauthRefusal>;

export const Nothing = schema(Type.Object({}, { $id: "Nothing", additionalProperties: false }));
