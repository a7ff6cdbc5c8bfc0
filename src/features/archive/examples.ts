import type { Example } from "../../http/operation/operation-doc";

export const archiveExample: Example = {
  ...{ input: {}, params: { id: "shop" } },
  answer: {
    project_id: "proj_0000000000000001",
    files: [{ date: "2025-01-13", events: 812, bytes: 16_204, sha256: "e3b0c442".repeat(8) }],
  },
};
