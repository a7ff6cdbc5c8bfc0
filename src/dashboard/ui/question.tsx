import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

interface Confirmation {
  readonly text: string;
  readonly yes: string;
  readonly answer: (isYes: boolean) => void;
}
const asked = signal<Confirmation | null>(null);

/** Asks before an action that cannot be undone. Escape and Cancel mean no. */
export const confirmed = (text: string, yes: string): Promise<boolean> =>
  new Promise((answer) => {
    asked.value = { text, yes, answer };
  });

/** The application has one of these; `confirmed` asks with it. */
export const Question = () =>
  asked.value === null ? null : <Open key={asked.value.text} question={asked.value} />;

function Open({ question: { text, yes, answer } }: { readonly question: Confirmation }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const close = () => {
    asked.value = null;
    answer(dialog.current?.returnValue === "yes");
  };
  return (
    <dialog
      id="question"
      class="question"
      ref={dialog}
      aria-labelledby="question-text"
      onClose={close}
    >
      <form method="dialog">
        <p id="question-text">{text}</p>
        <div class="buttons">
          <button id="question-yes" type="submit" value="yes" class="primary">
            {yes}
          </button>
          <button type="submit" value="no" class="second" autofocus>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  );
}
