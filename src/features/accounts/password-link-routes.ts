import { ApiError } from "../../domain/errors";
import { newPasswordOf, normalEmail } from "../../domain/identity";
import type { Deps } from "../../http/deps";
import { reply } from "../../http/edge/reply";
import { accountOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { publicOperation } from "../../http/operation/public-operation";
import { clock, hourMs, minuteMs } from "../../lib/clock";
import { log } from "../../lib/log";
import { resetLetter, securityLetter } from "../../services/mail/templates";
import { actorOf, note } from "../../store/control/audit";
import {
  addPasswordLink,
  handedLinkMs,
  mailedLinkMs,
  personOfLink,
  resetPassword,
} from "../../store/control/password-links";
import { personByEmail } from "../../store/control/people";
import { ownerOf } from "./account-owner";
import { visitor } from "./asker";
import { Done, ForgotRequest, PasswordLink, ResetRequest } from "./schema";
import { refuseForeignPage } from "./sign-in";

/** Messages with a link that an address gets in an hour. */
const resetMailsPerHourMax = 3;

/** The operations for people who have forgotten their password. */
export const passwordLinkRoutes = (deps: Deps) => [
  forgotRoute(deps),
  resetRoute(deps),
  handedLinkRoute(deps),
];

const forgotRoute = (deps: Deps) =>
  publicOperation("POST /auth/forgot", {
    access: free("none"),
    doc: {
      id: "forgotPassword",
      summary: "Ask for a link to set a new password",
      description:
        "Sends the link by mail, if the address has a log-in. The answer is the same whether it has one or not.",
      tag: "Sign-in",
      errors: ["MAIL_NOT_CONFIGURED", "CSRF_FAILED"],
    },
    takes: ForgotRequest,
    returns: { 202: Done },
    handle: ({ input, request }) => {
      refuseForeignPage(deps.config, request);
      if (!deps.mail.isOn) {
        throw new ApiError(
          "MAIL_NOT_CONFIGURED",
          "This server sends no mail. Ask its administrator for a link, or run `sightline reset-link` on the server.",
        );
      }
      const email = normalEmail(input.email);
      // After the answer, which takes the same time for every address.
      setTimeout(() => sendLink(deps, email), 0);
      return reply(202, { ok: true as const });
    },
  });

function sendLink({ control, mail }: Deps, email: string): void {
  try {
    const found = personByEmail(control, email);
    if (found === undefined) return;
    const sentInHour = control.mail.queuedSince("reset", email, clock.nowMs() - hourMs);
    if (sentInHour >= resetMailsPerHourMax) return;
    control.write(() => {
      const { token } = addPasswordLink(control, found.id, mailedLinkMs);
      mail.queue("reset", email, (sender) =>
        resetLetter(sender, resetUrl(sender.url, token), mailedLinkMs / minuteMs),
      );
    });
  } catch (error) {
    log("error", "a link for a new password could not be made", {
      why: error instanceof Error ? error.name : "unknown",
    });
  }
}

/** The fragment is sent to no server, and stands in no log. */
const resetUrl = (base: string, token: string): string => `${base}/reset#${token}`;

const resetRoute = (deps: Deps) =>
  publicOperation("POST /auth/reset", {
    access: free("none"),
    doc: {
      id: "resetPassword",
      summary: "Set a new password by a link",
      description:
        "Logs out all browsers of the person. It logs nobody in, and a second factor stays on. Agent sessions and " +
        "API keys go on.",
      tag: "Sign-in",
      errors: ["RESET_OVER", "CSRF_FAILED", "UNAVAILABLE"],
    },
    takes: ResetRequest,
    returns: { 200: Done },
    handle: async ({ input: { token, password }, peer, request }) => {
      const { control, mail } = deps;
      refuseForeignPage(deps.config, request);
      personOfLink(control, token);
      const asker = visitor(deps, peer());
      const passwordHash = await deps.passwords.hash(newPasswordOf(password), asker);
      control.write(() => {
        const { email } = resetPassword(control, token, passwordHash);
        mail.queue("security", email, (sender) => securityLetter(sender, "password"));
      });
      return { ok: true as const };
    },
  });

const handedLinkRoute = (deps: Deps) =>
  accountOperation("POST /admin/accounts/{id}/reset-link", {
    access: free("admin"),
    doc: {
      id: "makeResetLink",
      summary: "Make a link for a new password of an owner",
      description: "You need not know the new password. The link works once, for 24 hours.",
      tag: "Administration",
      errors: ["NOT_FOUND", "UNAVAILABLE"],
    },
    takes: nothing,
    returns: { 200: PasswordLink },
    handle: ({ caller, params: { id = "" } }) => {
      const { config, control } = deps;
      const owner = ownerOf(control, id);
      const made = control.write(() => {
        note(control, {
          ...{ accountId: null, actor: actorOf(caller), action: "account_changed" },
          target: { type: "account", id, name: owner.email },
          details: { reset_link: true },
        });
        return addPasswordLink(control, owner.id, handedLinkMs);
      });
      const expiresAt = new Date(made.expiresAtMs).toISOString();
      return { url: resetUrl(config.publicUrl, made.token), expires_at: expiresAt };
    },
  });
