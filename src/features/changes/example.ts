const germany = {
  ...{ value: "DE", current: 1500, previous: 3000, delta: -1500, share_pct: 107.1 },
  ...{ excess: -1080, z: -11.18, new: false, gone: false },
};

/** A country that halves: the golden corpus has no change that is significant. */
export const exampleAnswer = {
  project: "shop",
  metric: "events",
  event: null,
  current: { from: "2026-01-07", to: "2026-01-13", value: 8600 },
  previous: { from: "2025-12-31", to: "2026-01-06", value: 10000 },
  reference: { from: "2025-11-12", to: "2026-01-06", dates: 56 },
  needs: null,
  tested: 60,
  threshold: 4.569,
  total: { delta: -1400, change_pct: -14, dispersion: 4, z: -5.133, significant: true },
  verdict: "specific",
  drivers: [{ dimension: "country", ...germany }],
  dimensions: [
    {
      dimension: "country",
      surprise: 0.0159,
      values: [{ ...germany, dispersion: 4, significant: true }],
      other: { values: 0, current: 0, previous: 0, delta: 0 },
    },
  ],
  caveats: ["The numbers show where something changed, not why."],
};
