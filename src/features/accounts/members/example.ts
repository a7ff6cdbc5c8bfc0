import type { Example } from "../../../http/operation/operation-doc";

const joined = { joined_at: "2026-01-07T12:00:00.000Z", last_seen_at: null };

export const membersExample: Example = {
  input: {},
  answer: {
    members: [
      {
        ...{ id: "usr_0000000000000001", email: "owner@example.com", role: "owner" },
        ...{ projects: null, people: true, two_factor: false, ...joined },
      },
    ],
    invitations: [],
  },
};
