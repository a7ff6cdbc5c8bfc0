import type { Example } from "../../http/operation/operation-doc";

export const sessionsExample: Example = {
  input: {},
  answer: {
    sessions: [
      {
        id: "ags_0000000000000001",
        client_type: "cli",
        client_name: "Weekly report",
        client_instance_id: null,
        label: null,
        scopes: ["projects:read", "analytics:read"],
        status: "active",
        created_at: 1768305600000,
        last_used_at: 1768392000000,
        access_expires_at: 1768395600000,
        refresh_expires_at: 1776168000000,
        revoked_at: null,
      },
    ],
  },
};
