import { useEffect, useState } from "preact/hooks";
import { call } from "../../data/api";
import type { Erasure, ErasurePreview } from "../../data/people-answers";
import { forget } from "../../data/reads";
import { downloadText } from "../../lib/copy";
import { exact } from "../../lib/format";
import { scope } from "../../state/scope";
import { Card } from "../../ui/card";
import { Check } from "../../ui/field";
import { Outcome } from "../../ui/outcome";
import { confirmed } from "../../ui/question";
import { useAction } from "../../ui/use-action";

const lookEveryMs = 5_000;

/** Answers the requests of one person: everything that is stored about them, or nothing of it any more. */
export function PrivacyRequests({ person }: { readonly person: string }) {
  const { project } = scope.value;
  const [done, setDone] = useState("");
  const [erasure, setErasure] = useState<Erasure | null>(null);
  const [blocks, setBlocks] = useState(false);
  const { error, isBusy, run } = useAction();
  const body = { project, user_id: person };
  const state = useProgress(erasure, setErasure);
  const exportAll = () =>
    run(async () => {
      const { text } = await call({ method: "POST", path: "/people/export", body });
      downloadText("person.jsonl", text, "application/x-ndjson");
      setDone("The file is in your downloads.");
    });
  const erase = () =>
    run(async () => {
      const path = "/people/erase";
      const asked = { ...body, block: blocks };
      const preview = await call<ErasurePreview>({ method: "POST", path, body: asked });
      if (!(await confirmed(questionOf(preview.answer), "Erase for good"))) return;
      const sent = { ...asked, dry_run: false, confirm: preview.answer.confirm };
      const { answer } = await call<Erasure>({ method: "POST", path, body: sent });
      setErasure(answer);
      forget();
    });
  return (
    <Card about="identity" title="Privacy requests">
      <p class="fine">Everything stored under all IDs of this visitor, in this project.</p>
      <Check
        id="block-person"
        label="Also block these IDs when you erase them: the project then stores nothing more under them"
        isOn={blocks}
        change={setBlocks}
      />
      <div class="buttons" aria-busy={isBusy}>
        <button type="button" class="second" disabled={isBusy} onClick={exportAll}>
          Export everything about this person
        </button>
        <button type="button" class="danger" disabled={isBusy} onClick={erase}>
          Erase this person
        </button>
      </div>
      <Outcome error={error} done={state || done} />
    </Card>
  );
}

/** Looks at an erasure until no file of the server has anything of the person. Returns its state in words. */
function useProgress(erasure: Erasure | null, change: (erasure: Erasure) => void): string {
  const id = erasure?.state === "running" ? erasure.id : null;
  useEffect(() => {
    if (id === null) return;
    const timer = setInterval(() => {
      void call<Erasure>({ method: "GET", path: `/people/erasures/${id}` })
        .then(({ answer }) => change(answer))
        .catch(() => undefined);
    }, lookEveryMs);
    return () => clearInterval(timer);
  }, [id]);
  if (erasure === null) return "";
  return erasure.state === "done"
    ? "Erased. No file of the server has anything of this person."
    : "Erased from every page. The server is now overwriting its files, which takes some minutes.";
}

const questionOf = ({ ids, events, sessions, replays }: ErasurePreview): string =>
  `This erases everything of this visitor: events ${exact(events)}, sessions ${exact(sessions)}, ` +
  `recordings ${exact(replays)}, IDs ${exact(ids)}. ` +
  "All numbers become those of a project that never had this visitor. It cannot be undone.";
