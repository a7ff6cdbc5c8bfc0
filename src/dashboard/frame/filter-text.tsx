import { Fragment } from "preact";
import { countryName } from "../lib/format";
import { type Filter, goalField, isAnyOf, type Simple, wordsOf } from "../state/filters";
import { goalNameIn, useGoalNames } from "../ui/goal-names";
import { Said } from "../ui/said";

const valueText = (field: string, value: string): string =>
  field.endsWith("country") ? countryName(value) : value === "" ? "(empty)" : value;

/** A filter in words. What visitors sent stays apart from ours. */
export const FilterText = ({ filter }: { readonly filter: Filter }) => (
  <span class="filter-text">
    {(isAnyOf(filter) ? filter.any : [filter]).map((one, i) => (
      <Fragment key={i}>
        {i > 0 && <em> or </em>}
        <SimpleText filter={one} />
      </Fragment>
    ))}
  </span>
);

function SimpleText({ filter }: { readonly filter: Simple }) {
  const { field, of, how, values } = wordsOf(filter);
  return (
    <>
      {of} <i>{how}</i>
      {values.map((value, i) => (
        <Fragment key={value}>
          {i > 0 ? ", " : " "}
          <b>
            {field === goalField && i === 0 ? (
              <GoalName named={value} />
            ) : (
              <Said text={valueText(field, value)} />
            )}
          </b>
        </Fragment>
      ))}
    </>
  );
}

/** A filter keeps the id of its goal, whose name may change. */
const GoalName = ({ named }: { readonly named: string }) => (
  <Said text={goalNameIn(useGoalNames(), named)} />
);
