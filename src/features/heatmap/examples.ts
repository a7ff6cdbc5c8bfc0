import type { Example } from "../../http/operation/operation-doc";

export const heatmapExample: Example = {
  input: { project: "shop" },
  answer: {
    project: "shop",
    heatmap: [{ day: 0, day_name: "Sunday", hour: 10, events: 8, users: 4 }],
    peak: { day: 3, day_name: "Wednesday", hour: 10, events: 16, users: 5 },
    busiest_day: "Wednesday",
    busiest_hour: 10,
  },
};
