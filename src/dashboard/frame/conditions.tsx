import { useEffect, useState } from "preact/hooks";
import type { ConditionsAnswer } from "../data/account-answers";
import { call, mayPoll } from "../data/api";
import { isAdmin } from "../state/account";

const request = { method: "GET", path: "/admin/conditions" } as const;
const lookEveryMs = 5 * 60_000;

/** Above every page of an administrator: what the server needs from one. */
export function Conditions() {
  const [conditions, setConditions] = useState<ConditionsAnswer["conditions"]>([]);
  const isShown = isAdmin.value;
  useEffect(() => {
    if (!isShown) return;
    // The page itself says when the server does not answer, and the next look is a few minutes away.
    const look = (): Promise<void> =>
      call<ConditionsAnswer>(request).then(
        ({ answer }) => setConditions(answer.conditions),
        () => undefined,
      );
    void look();
    const timer = setInterval(() => mayPoll() && void look(), lookEveryMs);
    return () => clearInterval(timer);
  }, [isShown]);
  return (
    <>
      {conditions.map(({ kind, title, sentence }) => (
        <p key={kind} class="alert conditions" role="status">
          <strong>The server needs you: {title}.</strong> {sentence}
        </p>
      ))}
    </>
  );
}
