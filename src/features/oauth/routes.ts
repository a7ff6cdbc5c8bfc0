import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { authorizeRoute } from "./authorize-route";
import { Clients } from "./clients";
import { metadataRoutes } from "./metadata-routes";
import { registerRoute } from "./register-route";
import { revokeRoute } from "./revoke-route";
import { tokenRoute } from "./token-route";

/** Agent sign-in in the words of OAuth 2.1: a request for approval, its code and its tokens are those of sessions. */
export const oauthFeature = (deps: Deps): Feature => {
  const clients = new Clients(deps);
  return {
    operations: [
      ...metadataRoutes(deps),
      authorizeRoute(deps, clients),
      tokenRoute(deps, clients),
      registerRoute(deps),
      revokeRoute(deps),
    ],
  };
};
