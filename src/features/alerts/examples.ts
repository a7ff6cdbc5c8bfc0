import type { Example } from "../../http/operation/operation-doc";

export const alertsExample: Example = {
  input: { project: "shop" },
  answer: {
    alerts: [
      {
        id: "alr_0000000000000001",
        project: "proj_0000000000000001",
        name: "Orders",
        kind: "change",
        metric: "events",
        direction: "any",
        sensitivity: "normal",
        hour: 6,
        event: "order",
        to: [{ to: "usr_0000000000000001", state: "active" }],
        state: "firing",
        since: "2026-01-14T06:00:00.000Z",
        last_evaluated_at: "2026-01-14T06:00:00.000Z",
        history: [{ from: "2026-01-14T06:00:00.000Z", observed: 20, expected: 100 }],
      },
    ],
    mail: true,
  },
};
