import { PlanPage } from "./plan/page";
import { UpgradePage } from "./plan/upgrade";

/** The pages about the plan are one script. */
export const payment = {
  plan: PlanPage,
  upgrade: UpgradePage,
};
