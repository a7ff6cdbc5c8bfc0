import type { Deps } from "../../http/deps";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { textOperation } from "../../http/operation/public-operation";
import { endByToken } from "../../store/control/oauth-sessions";
import { Nothing } from "./schema";

export const revokeRoute = ({ control }: Deps) =>
  textOperation("POST /oauth/revoke", {
    access: free("none"),
    isLenient: true,
    doc: {
      id: "revokeToken",
      summary: "Revoke a token",
      description: "RFC 7009, as a form: `token`, either one, ends the session. Always 200.",
      tag: "Agent sign-in",
    },
    takes: nothing,
    returns: { 200: Nothing },
    handle: ({ text }) => {
      const form = new URLSearchParams(text);
      endByToken(control, form.get("token") ?? "", form.get("client_id"));
      return {};
    },
  });
