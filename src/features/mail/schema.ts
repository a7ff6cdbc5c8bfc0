import Type, { type Static } from "typebox";
import { Count, IsoTime } from "../../domain/fields";
import { emailCharsMax } from "../../domain/limits";
import { mailKinds, mailStates } from "../../domain/mail/message";
import { ofOwner, ofServer, ofVisitors, schema } from "../../lib/schema";
import { mailsShownMax } from "../../store/control/mail";

const errorCharsMax = 256;
const nameCharsMax = 64;
const responseCharsMax = 200;

const Message = Type.Object({
  kind: Type.Enum([...mailKinds]),
  to: Type.String({
    ...ofOwner,
    maxLength: emailCharsMax,
    description: "The first letter of the address and its domain.",
  }),
  state: Type.Enum([...mailStates]),
  tries: Count,
  error: Type.Optional(
    Type.String({
      ...ofVisitors,
      maxLength: errorCharsMax,
      description: "The last failure: the stage, and the line of the mail server.",
    }),
  ),
  created_at: IsoTime,
  sent_at: Type.Optional(IsoTime),
});

export const MailState = schema(
  Type.Object(
    {
      configured: Type.Boolean({ description: "false: the server sends no mail." }),
      missing: Type.Array(Type.String({ ...ofServer, maxLength: nameCharsMax }), {
        maxItems: 3,
        description: "Settings without which mail is off.",
      }),
      queued: Count,
      sent_24h: Count,
      failed_24h: Count,
      messages: Type.Array(Message, { maxItems: mailsShownMax, description: "Newest first." }),
    },
    { $id: "MailState" },
  ),
);
export type MailState = Static<typeof MailState>;

export const MailTrial = schema(
  Type.Object(
    { to: Type.String({ minLength: 1, maxLength: emailCharsMax, description: "One address." }) },
    { $id: "MailTrial" },
  ),
);

export const MailTaken = schema(
  Type.Object(
    {
      ok: Type.Literal(true),
      response: Type.String({
        ...ofVisitors,
        maxLength: responseCharsMax,
        description: "The line of the mail server.",
        examples: ["250 OK: message queued"],
      }),
    },
    { $id: "MailTaken" },
  ),
);
