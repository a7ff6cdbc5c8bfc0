import { oauthScopesDefault, scopes } from "../../domain/scope";
import type { Deps } from "../../http/deps";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { publicOperation } from "../../http/operation/public-operation";
import { AuthorizationServer, ProtectedResource } from "./schema";

const tag = "Agent sign-in";

/** The documents that tell clients where and how they sign in (RFC 9728, RFC 8414). */
export const metadataRoutes = ({ config }: Deps) => {
  const { publicUrl } = config;
  const resource = () => ({
    resource: `${publicUrl}/mcp`,
    authorization_servers: [publicUrl],
    scopes_supported: [...oauthScopesDefault],
    bearer_methods_supported: ["header"],
    resource_name: "Sightline",
    resource_documentation: `${publicUrl}/llms.txt`,
  });
  return [
    publicOperation("GET /.well-known/oauth-protected-resource", {
      access: free("none"),
      isLenient: true,
      doc: {
        id: "getProtectedResource",
        summary: "Get protected resource metadata",
        description: "OAuth protected resource metadata (RFC 9728) of `/mcp`.",
        tag,
      },
      takes: nothing,
      returns: { 200: ProtectedResource },
      handle: resource,
    }),
    publicOperation("GET /.well-known/oauth-protected-resource/mcp", {
      access: free("none"),
      isLenient: true,
      doc: {
        id: "getProtectedResourceOfMcp",
        summary: "Get protected resource metadata for /mcp",
        description: "The path that RFC 9728 defines for resources with a path.",
        tag,
      },
      takes: nothing,
      returns: { 200: ProtectedResource },
      handle: resource,
    }),
    publicOperation("GET /.well-known/oauth-authorization-server", {
      access: free("none"),
      isLenient: true,
      doc: {
        id: "getAuthorizationServer",
        summary: "Get authorization server metadata",
        description: "Authorization server metadata (RFC 8414): endpoints, PKCE with S256.",
        tag,
      },
      takes: nothing,
      returns: { 200: AuthorizationServer },
      handle: () => ({
        issuer: publicUrl,
        authorization_endpoint: `${publicUrl}/oauth/authorize`,
        token_endpoint: `${publicUrl}/oauth/token`,
        registration_endpoint: `${publicUrl}/oauth/register`,
        revocation_endpoint: `${publicUrl}/oauth/revoke`,
        scopes_supported: [...scopes],
        response_types_supported: ["code"],
        response_modes_supported: ["query"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        token_endpoint_auth_methods_supported: ["none"],
        revocation_endpoint_auth_methods_supported: ["none"],
        code_challenge_methods_supported: ["S256"],
        client_id_metadata_document_supported: config.oauthClientDocuments,
        authorization_response_iss_parameter_supported: true,
        service_documentation: `${publicUrl}/llms.txt`,
      }),
    }),
  ];
};
