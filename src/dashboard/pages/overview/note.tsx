import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "../../data/api";
import { forget } from "../../data/reads";
import { longDate, startOfDate } from "../../lib/dates";
import { place } from "../../state/route";
import { Form, Second } from "../../ui/form";

interface NoteProps {
  readonly date: string;
  readonly close: () => void;
}

/** Adds a note on a day where its effect is seen: it then stands in every chart. */
export function NoteForm({ date, close }: NoteProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [title, setTitle] = useState("");
  const [note, setNote] = useState("");
  useEffect(() => dialog.current?.showModal(), []);
  const save = async () => {
    const body = {
      ...{ project: place.value.project, occurred_at: startOfDate(date), title: title.trim() },
      ...(note.trim() !== "" && { note: note.trim() }),
    };
    await call({ method: "POST", path: "/project-context/annotations", body });
    forget();
    close();
  };
  return (
    <dialog class="question" ref={dialog} aria-labelledby="note-heading" onClose={close}>
      <Form id="note-form" send={save} submit="Save note" more={<Second press={close} />}>
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
      </Form>
    </dialog>
  );
}
