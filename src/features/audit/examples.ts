import type { Example } from "../../http/operation/operation-doc";

export const auditExample: Example = {
  input: {},
  answer: {
    entries: [
      {
        ...{ id: "aud_0000000000000001", at: "2026-01-14T12:00:00.000Z", action: "member_changed" },
        actor: { id: "usr_0000000000000001", email: "owner@example.com", kind: "cookie" },
        target: { type: "member", id: "usr_0000000000000002", name: "ann@example.com" },
        details: {
          before: { role: "viewer", projects: null, people: false },
          after: { role: "editor", projects: null, people: true },
        },
      },
    ],
    next_cursor: null,
  },
};

export const serverAuditExample: Example = {
  input: {},
  answer: {
    entries: [
      {
        ...{ id: "aud_0000000000000002", at: "2026-01-14T12:00:00.000Z", action: "account_made" },
        actor: { id: "usr_0000000000000001", email: "owner@example.com", kind: "cookie" },
        target: { type: "account", id: "acc_0000000000000002", name: "ann@example.com" },
        details: { tier: "pro" },
      },
    ],
    next_cursor: null,
  },
};
