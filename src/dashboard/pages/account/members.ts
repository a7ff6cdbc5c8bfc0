import type { MembersAnswer } from "../../data/account-answers";
import { prepare } from "../../data/reads";

export const membersRequest = { method: "GET", path: "/members" } as const;
export type Member = MembersAnswer["members"][number];

/** Reads the list again, and puts the focus where it is: what had it may be gone. */
export async function settle(): Promise<void> {
  await prepare(membersRequest, 0);
  document.getElementById("team-heading")?.focus();
}
