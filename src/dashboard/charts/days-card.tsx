import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { longDate, shortDate } from "../lib/dates";
import type { Definition } from "../lib/definitions";
import { exact, short } from "../lib/format";
import { ticks } from "../lib/scale";
import { period } from "../state/route";
import { Card } from "../ui/card";
import { Scroll } from "../ui/scroll";
import { TableButton } from "../ui/table-button";
import { LineChart } from "./line-chart";

interface DaysCardProps {
  readonly title: string;
  /** The name of what is counted for each day. */
  readonly unit: string;
  readonly about: Definition;
  readonly days: readonly { readonly date: string; readonly value: number }[];
  readonly note?: string;
  readonly children: ComponentChildren;
}

/** A count of each day of the period, as a line or as a table. "All time" begins with the first day that has one. */
export function DaysCard({ title, unit, about, days: all, note, children }: DaysCardProps) {
  const [isTable, setTable] = useState(false);
  const first = period.value.key === "all" ? all.findIndex(({ value }) => value > 0) : 0;
  const days = all.slice(Math.max(0, first));
  return (
    <Card
      title={title}
      about={about}
      wide
      note={note}
      tools={<TableButton isTable={isTable} toggle={() => setTable(!isTable)} />}
    >
      <p class="finding">{children}</p>
      {isTable ? (
        <Scroll label="Values" csv="days" class="tall">
          <table class="grid">
            <thead>
              <tr>
                <th scope="col">Day</th>
                <th scope="col" class="num">
                  {unit}
                </th>
              </tr>
            </thead>
            <tbody>
              {[...days].reverse().map(({ date, value }) => (
                <tr key={date}>
                  <th scope="row">
                    <time dateTime={date} title={date}>
                      {longDate(date)}
                    </time>
                  </th>
                  <td class="num">{exact(value)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      ) : (
        <LineChart
          title={title}
          labels={days.map(({ date }) => longDate(date))}
          axis={days.map(({ date }) => shortDate(date))}
          series={[{ name: unit, kind: "main", values: days.map(({ value }) => value) }]}
          ticks={ticks(Math.max(...days.map(({ value }) => value), 1), 4)}
          format={short}
          formatExact={exact}
          height={200}
          isOpen={period.value.isOpen}
        />
      )}
    </Card>
  );
}
