import type { GoalNamesAnswer } from "../data/goal-rows";
import { type ChosenEvent, chosenIn } from "../state/chosen-event";
import { param, place, set } from "../state/route";

interface EventChoiceProps {
  readonly label: string;
  /** The choice of no event; absent if the reader must choose one. */
  readonly none?: string;
  /** The parameter of the address that holds the event. */
  readonly name: string;
  readonly events: readonly string[];
  /** The goals that the reader can choose instead: the parameter `goal_id` holds the chosen one. */
  readonly goals?: GoalNamesAnswer["goals"];
  /** The choice if the address has none. */
  readonly usual?: ChosenEvent;
}

/** The value of a choice in the list: an event may have the name of a goal. */
function optionOf(one: ChosenEvent): string {
  if (one.goal !== undefined) return `goal:${one.goal}`;
  return one.event === undefined ? "" : `event:${one.event}`;
}

/** One of the events or goals of a project; the address keeps which. */
export function EventChoice(props: EventChoiceProps) {
  const { label, none, name: own, events, goals = [], usual = {} } = props;
  const ofEvent = param(own) === "" ? null : { event: param(own) };
  const chosen: ChosenEvent =
    (props.goals === undefined ? ofEvent : chosenIn(place.value.params, own)) ?? usual;
  const choose = (value: string) => {
    const [, kind, key = ""] = /^(goal|event):(.*)$/s.exec(value) ?? [];
    const goal = props.goals === undefined ? {} : { goal_id: kind === "goal" ? key : null };
    set({ [own]: kind === "event" ? key : null, ...goal });
  };
  const isListed = events.includes(chosen.event ?? "");
  const listed = chosen.event === undefined || isListed ? events : [chosen.event, ...events];
  const ofEvents = listed.map((name) => (
    <option key={name} value={optionOf({ event: name })}>
      {name}
    </option>
  ));
  return (
    <label class="inline">
      {label}
      <select value={optionOf(chosen)} onChange={(event) => choose(event.currentTarget.value)}>
        {none !== undefined && <option value="">{none}</option>}
        {goals.length === 0 ? (
          ofEvents
        ) : (
          <>
            <optgroup label="Goals">
              {goals.map(({ id, name }) => (
                <option key={id} value={optionOf({ goal: id })}>
                  {name}
                </option>
              ))}
            </optgroup>
            <optgroup label="Events">{ofEvents}</optgroup>
          </>
        )}
      </select>
    </label>
  );
}
