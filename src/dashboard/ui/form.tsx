import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Outcome } from "./outcome";
import { type Action, useAction } from "./use-action";

interface FormProps {
  readonly id?: string;
  /** Puts the fields and the button in one line. */
  readonly isRow?: boolean;
  /** Sends the fields. It may return a sentence that describes the result. */
  readonly send: () => Promise<unknown>;
  /** The words on the button. */
  readonly submit: string;
  readonly submitId?: string;
  readonly look?: "primary" | "second" | "danger";
  readonly isDisabled?: boolean;
  /** More buttons, beside the first one. */
  readonly more?: ComponentChildren;
  /** Buttons with the same action do not run while the form sends. */
  readonly action?: Action;
  /** If the answer replaces the form by another one, the new form shows the sentence that the old form returned. */
  readonly done?: string;
  readonly children: ComponentChildren;
}

/** Fields, the button that sends them, and the result. */
export function Form(props: FormProps) {
  const { id, isRow = false, send, submit, submitId, look = "primary", more } = props;
  const own = useAction();
  const { error, isBusy, run } = props.action ?? own;
  const [done, setDone] = useState("");
  const start = (event: Event) => {
    event.preventDefault();
    setDone("");
    run(async () => {
      const said = await send();
      if (typeof said === "string") setDone(said);
    });
  };
  const outcome = <Outcome error={error} done={props.done ?? done} />;
  const button = (
    <button id={submitId} type="submit" class={look} disabled={props.isDisabled}>
      {submit}
    </button>
  );
  return (
    <>
      <form
        id={id}
        class={isRow ? "row-form" : "form"}
        onSubmit={start}
        aria-busy={isBusy}
        autocomplete="off"
      >
        {props.children}
        {!isRow && outcome}
        {more === undefined ? (
          button
        ) : (
          <div class="buttons">
            {button}
            {more}
          </div>
        )}
      </form>
      {isRow && outcome}
    </>
  );
}

interface SecondProps {
  readonly id?: string;
  readonly text?: string;
  readonly press: () => void;
}

/** An alternative to the form's button. */
export const Second = ({ id, text = "Cancel", press }: SecondProps) => (
  <button id={id} type="button" class="second" onClick={press}>
    {text}
  </button>
);
