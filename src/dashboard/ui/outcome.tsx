interface OutcomeProps {
  readonly error: string;
  readonly done: string;
}

/** The outcome of a form's request, which screen readers read out when it changes. */
export const Outcome = ({ error, done }: OutcomeProps) =>
  error !== "" ? (
    <p class="alert" role="alert">
      {error}
    </p>
  ) : (
    <p class={done === "" ? "visually-hidden" : "done"} role="status">
      {done}
    </p>
  );
