import Type, { type Static } from "typebox";
import { IsoTime, ObjectId } from "../../../domain/fields";
import { emailCharsMax, passwordCharsMax, passwordCharsMin } from "../../../domain/limits";
import { grantedRoles, memberProjectsMax, roles } from "../../../domain/role";
import { ofOwner, ofServer, orNull, schema } from "../../../lib/schema";

const Email = Type.String({ ...ofOwner, maxLength: emailCharsMax });
const projects = Type.Array(ObjectId, {
  maxItems: memberProjectsMax,
  description: "The projects that the member may see; null is all of them.",
});
const people = Type.Boolean({ description: "Whether the member may see single visitors." });

const twoFactor = Type.Boolean({ description: "Whether the second factor is on." });

const Rights = { role: Type.Enum([...roles]), projects: orNull(projects), people };

export const Member = schema(
  Type.Object(
    {
      ...{ id: ObjectId, email: Email, ...Rights, two_factor: twoFactor },
      ...{ joined_at: IsoTime, last_seen_at: orNull(IsoTime) },
    },
    { $id: "Member" },
  ),
);
export type Member = Static<typeof Member>;

const invitation = {
  id: ObjectId,
  email: Email,
  ...{ ...Rights, role: Type.Enum([...grantedRoles]) },
  created_at: IsoTime,
  expires_at: IsoTime,
  invited_by: Email,
  mail: Type.Enum(["none", "queued", "sent", "failed"], {
    description: "The state of the message; none while the server sends no mail.",
  }),
};
export const Invitation = schema(Type.Object(invitation, { $id: "Invitation" }));
export type Invitation = Static<typeof Invitation>;

export const MemberList = schema(
  Type.Object(
    {
      members: Type.Array(
        Type.Object({
          id: ObjectId,
          email: Email,
          role: Type.Enum([...roles]),
          projects: Type.Optional(orNull(projects)),
          people: Type.Optional(people),
          two_factor: Type.Optional(twoFactor),
          joined_at: Type.Optional(IsoTime),
          last_seen_at: Type.Optional(orNull(IsoTime)),
        }),
        { description: "The owner first. Viewers and editors get id, email and role alone." },
      ),
      invitations: Type.Optional(
        Type.Array(Invitation, { description: "The open ones, for administrators and the owner." }),
      ),
    },
    { $id: "MemberList" },
  ),
);

/** Ids or names. */
const Projects = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
  maxItems: memberProjectsMax,
  description: "Ids or names of the projects that the member may see. Default: all.",
});
const Granted = Type.Enum([...grantedRoles], { description: "Default: viewer." });

export const InvitationRequest = schema(
  Type.Object(
    {
      email: Type.String({ minLength: 1, maxLength: emailCharsMax }),
      role: Type.Optional(Granted),
      projects: Type.Optional(Projects),
      people: Type.Optional(
        Type.Boolean({
          description: "Whether the member may see single visitors. Default: true for editors.",
        }),
      ),
    },
    { $id: "InvitationRequest" },
  ),
);
export type InvitationRequest = Static<typeof InvitationRequest>;

export const NewInvitation = schema(
  Type.Object(
    {
      ...invitation,
      url: Type.String({
        ...ofServer,
        maxLength: 2_048,
        description: "The link for the invited person. Only this response shows it.",
      }),
      mailed: Type.Boolean(),
    },
    { $id: "NewInvitation" },
  ),
);

/** A field that is absent stays as it is; null is absent, so all projects are the word `all`. */
export const MemberChange = schema(
  Type.Object(
    {
      role: Type.Optional(Type.Enum([...grantedRoles])),
      projects: Type.Optional(
        Type.Union([Type.Literal("all"), Projects], {
          description: 'Ids or names of the projects that the member may see, or "all".',
        }),
      ),
      people: Type.Optional(Type.Boolean()),
    },
    { $id: "MemberChange" },
  ),
);

const token = Type.String({
  minLength: 1,
  maxLength: 64,
  description: "The part of the link behind #.",
});
export const InvitationLook = schema(Type.Object({ token }, { $id: "InvitationLook" }));
export const InvitationShown = schema(
  Type.Object(
    {
      account: Type.Object({ id: ObjectId, name: Email }),
      invited_by: Email,
      email: Email,
      role: Type.Enum([...grantedRoles]),
      expires_at: IsoTime,
      has_login: Type.Boolean({
        description: "True: log in with this address, then accept. False: choose a password.",
      }),
    },
    { $id: "InvitationShown" },
  ),
);
export const InvitationAcceptance = schema(
  Type.Object(
    {
      token,
      password: Type.Optional(
        Type.String({
          minLength: passwordCharsMin,
          maxLength: passwordCharsMax,
          description: "Required if the address has no log-in yet.",
        }),
      ),
    },
    { $id: "InvitationAcceptance" },
  ),
);

export const AccountUpdate = schema(
  Type.Object(
    {
      name: Type.Optional(
        Type.String({ maxLength: 64, description: "Empty: the owner's address again." }),
      ),
      require_two_factor: Type.Optional(Type.Boolean()),
    },
    { $id: "AccountUpdate" },
  ),
);
export const TransferRequest = schema(
  Type.Object(
    {
      to: Type.String({ minLength: 1, maxLength: 32, description: "The id of an administrator." }),
      password: Type.String({ minLength: 1, maxLength: passwordCharsMax }),
    },
    { $id: "TransferRequest" },
  ),
);
