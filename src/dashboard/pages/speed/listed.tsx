import { useState } from "preact/hooks";
import type { QueryAnswer } from "../../data/answers";
import { useRead } from "../../data/reads";
import { BarList } from "../../ui/bar-list";
import { Card, Tabs } from "../../ui/card";
import { chooseOf, isChosenOf } from "../../ui/list-values";
import { Cut } from "../../ui/property-card";
import { When } from "../../ui/states";
import { NotRecorded } from "./not-recorded";
import { countsBy } from "./requests";

interface ListedProps {
  readonly title: string;
  readonly event: string;
  /** The attribute of the snippet that records the event. */
  readonly attribute: string;
  readonly head: string;
  readonly tabs: readonly [readonly [string, string], ...(readonly [string, string])[]];
}

/** A list of the values of a property of one event of the tracker. */
export function Listed({ title, event, attribute, head, tabs }: ListedProps) {
  const [field, setField] = useState(tabs[0][0]);
  const reading = useRead<QueryAnswer>(title, countsBy(event, field));
  const choice = <Tabs label={title} value={field} options={tabs} choose={setField} />;
  return (
    <Card title={title} about="event_count" tabs={tabs.length > 1 ? choice : undefined}>
      <When reading={reading}>
        {(answer) =>
          answer.rows.length === 0 ? (
            <NotRecorded attribute={attribute} />
          ) : (
            <>
              <BarList
                head={head}
                unit="Times"
                rows={answer.rows.map((row) => {
                  const key = String(row[field] ?? "");
                  return {
                    key,
                    label: key === "" ? "(none)" : key,
                    value: Number(row.event_count),
                  };
                })}
                choose={chooseOf(field)}
                isChosen={isChosenOf(field)}
              />
              <Cut answer={answer} />
            </>
          )
        }
      </When>
    </Card>
  );
}
