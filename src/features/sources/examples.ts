import type { Example } from "../../http/operation/operation-doc";

export const sourcesExample: Example = {
  ...{ input: {}, params: { id: "shop" } },
  answer: {
    sources: [
      {
        id: "src_0000000000000001",
        kind: "plausible",
        key: null,
        url: "https://stats.example.com/in/src_0000000000000001",
        created_at: 1768392000000,
        last24h: { accepted: 1204, filtered: 31, unsupported: 0, refused: { MISSING_FIELDS: 2 } },
        last_event_at: 1768395600000,
        last_refusal: { code: "MISSING_FIELDS", field: "url", at: 1768394000000 },
      },
    ],
  },
};
