import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "../../data/api";
import { forget } from "../../data/reads";
import { longDate, startOfDate } from "../../lib/dates";
import { place } from "../../state/route";
import { Outcome } from "../../ui/outcome";
import { useAction } from "../../ui/use-action";

interface NoteProps {
  readonly date: string;
  readonly close: () => void;
}

/** Adds a note on a day where its effect is seen: it then stands in every chart. */
export function NoteForm({ date, close }: NoteProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [title, setTitle] = useState("");
  const [note, setNote] = useState("");
  const { error, isBusy, run } = useAction();
  useEffect(() => dialog.current?.showModal(), []);
  const save = (event: Event) => {
    event.preventDefault();
    run(async () => {
      const body = {
        ...{ project: place.value.project, occurred_at: startOfDate(date), title: title.trim() },
        ...(note.trim() !== "" && { note: note.trim() }),
      };
      await call({ method: "POST", path: "/project-context/annotations", body });
      forget();
      close();
    });
  };
  return (
    <dialog class="question" ref={dialog} aria-labelledby="note-heading" onClose={close}>
      <form class="form" id="note-form" onSubmit={save} aria-busy={isBusy}>
        <h2 id="note-heading">Note for {longDate(date)}</h2>
        <label>
          What changed
          <input
            id="note-title"
            value={title}
            required
            autofocus
            maxLength={120}
            onInput={(event) => setTitle(event.currentTarget.value)}
          />
        </label>
        <label>
          Details <small>optional</small>
          <input
            id="note-text"
            value={note}
            maxLength={500}
            onInput={(event) => setNote(event.currentTarget.value)}
          />
        </label>
        <Outcome error={error} done="" />
        <div class="buttons">
          <button type="submit" class="primary">
            Save note
          </button>
          <button type="button" class="second" onClick={close}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  );
}
