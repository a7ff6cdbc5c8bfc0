import type { Example } from "../../http/operation/operation-doc";

export const experimentsExample: Example = {
  input: { project: "shop" },
  answer: {
    project: "shop",
    experiments: [
      {
        id: "exp_89mxi2x7htoiwiz9",
        project_id: "proj_5wyabtth5tg8j9eo",
        account_id: "acc_nlr6znslunzl537h",
        name: "hero",
        variants: [
          { key: "control", weight: 50 },
          { key: "b", weight: 50 },
        ],
        goal_event: "signup",
        status: "active",
        winner: null,
        created_at: "2026-01-14T12:00:00.000Z",
        updated_at: "2026-01-14T12:00:00.000Z",
        completed_at: null,
      },
    ],
  },
};

export const experimentExample: Example = {
  input: {},
  params: { id: "exp_89mxi2x7htoiwiz9" },
  answer: {
    id: "exp_89mxi2x7htoiwiz9",
    project_id: "proj_5wyabtth5tg8j9eo",
    account_id: "acc_nlr6znslunzl537h",
    name: "hero",
    variants: [
      { key: "control", weight: 50 },
      { key: "b", weight: 50 },
    ],
    goal_event: "signup",
    status: "active",
    winner: null,
    created_at: "2026-01-14T12:00:00.000Z",
    updated_at: "2026-01-14T12:00:00.000Z",
    completed_at: null,
    results: {
      variants: [
        { key: "control", exposures: 0, unique_users: 0, conversions: 0, conversion_rate: 0 },
        { key: "b", exposures: 0, unique_users: 0, conversions: 0, conversion_rate: 0 },
      ],
      probability_best: { control: 0.5, b: 0.5 },
      lift: { control: 0, b: 0 },
      sufficient_data: false,
      recommendation:
        'Not enough data: "control" lacks 100 exposures, "b" lacks 100 exposures. Keep the experiment running until ' +
        "every variant has 100 exposures; before that, the result is not reliable.",
      recommendation_code: "insufficient_data",
    },
  },
};
