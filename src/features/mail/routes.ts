import { ApiError, invalidField } from "../../domain/errors";
import { emailOf } from "../../domain/identity";
import { maskedAddress } from "../../domain/mail/message";
import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { accountOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { clock } from "../../lib/clock";
import type { MailRow } from "../../store/control/mail-tables";
import { MailState, MailTaken, MailTrial } from "./schema";

const tag = "Administration";

/** The operations by which administrators see what became of mail. */
export const mailFeature = (deps: Deps): Feature => ({
  operations: [stateRoute(deps), trialRoute(deps)],
});

const stateRoute = (deps: Deps) =>
  accountOperation("GET /admin/mail", {
    access: free("admin"),
    doc: {
      id: "getMail",
      summary: "Get the state of mail",
      description:
        "Whether mail is configured, what lacks, and the last 200 messages with what became of them. Of addresses " +
        "only the first letter and the domain are shown.",
      tag,
    },
    takes: nothing,
    returns: { 200: MailState },
    handle: () => {
      const { mail } = deps.config;
      const { queued, sent24h, failed24h } = deps.control.mail.counts(clock.nowMs());
      return {
        ...{ configured: mail.way !== null, missing: [...mail.missing] },
        ...{ queued, sent_24h: sent24h, failed_24h: failed24h },
        messages: deps.control.mail.newest().map(viewOf),
      };
    },
  });

const trialRoute = (deps: Deps) =>
  accountOperation("POST /admin/mail/test", {
    access: free("admin"),
    doc: {
      id: "testMail",
      summary: "Send a test mail",
      description:
        "Sends at once, and waits up to 20 seconds for the mail server. If it fails, `stage` says where: connect, " +
        "tls, auth, from, to or data; `response` has the line of the mail server.",
      tag,
      errors: ["MAIL_FAILED", "MAIL_NOT_CONFIGURED"],
    },
    takes: MailTrial,
    returns: { 200: MailTaken },
    handle: async ({ input }) => {
      const outcome = await deps.mail.test(addressOf(input.to));
      if (outcome === null) throw notConfigured(deps);
      const { response } = outcome;
      if (outcome.isTaken) return { ok: true as const, response };
      const { stage } = outcome;
      throw new ApiError(
        "MAIL_FAILED",
        `The mail server did not take the test. It failed at ${stage}. Check the SMTP_ settings.`,
        { stage, response },
      );
    },
  });

function addressOf(to: string): string {
  try {
    return emailOf(to);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw invalidField("to", '"to" must be an email address such as you@example.com.');
  }
}

const notConfigured = ({ config }: Deps): ApiError =>
  new ApiError(
    "MAIL_NOT_CONFIGURED",
    `Mail is off, because ${config.mail.missing.join(", ")} is not set. Set it and start the server again.`,
  );

const viewOf = (row: MailRow): MailState["messages"][number] => ({
  ...{ kind: row.kind, to: maskedAddress(row.recipient), state: row.state, tries: row.tries },
  ...(row.error !== null && { error: row.error }),
  created_at: new Date(row.createdAtMs).toISOString(),
  ...(row.state === "sent" &&
    row.endedAtMs !== null && { sent_at: new Date(row.endedAtMs).toISOString() }),
});
