import { param, set } from "../state/route";

/** One of the events of a project; the address keeps which. */
export const EventChoice = ({
  label,
  none,
  name,
  events,
}: {
  readonly label: string;
  readonly none: string;
  readonly name: string;
  readonly events: readonly string[];
}) => (
  <label class="inline">
    {label}
    <select
      value={param(name)}
      onChange={(event) => set({ [name]: event.currentTarget.value || null })}
    >
      <option value="">{none}</option>
      {events.map((event) => (
        <option key={event} value={event}>
          {event}
        </option>
      ))}
    </select>
  </label>
);
