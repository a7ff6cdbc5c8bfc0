interface OutcomeProps {
  readonly error: string;
  readonly done: string;
}

/** How what a form did ended: read out when it changes. */
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
