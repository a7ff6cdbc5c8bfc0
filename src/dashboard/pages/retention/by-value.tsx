import type { RetentionAnswer } from "../../data/retention-answers";
import { exact } from "../../lib/format";
import { nameOf } from "../../state/filters";
import { Card } from "../../ui/card";
import { labelOf } from "../../ui/list-values";
import { Said } from "../../ui/said";
import { Scroll } from "../../ui/scroll";
import { ratesOfEnough, returnCounts } from "./averages";
import { PeriodHeads, RateCell, type Unit } from "./cohorts";

interface Props {
  readonly answer: RetentionAnswer;
  readonly field: string;
  readonly unit: Unit;
}

/** Rows are values of a field at the first visit, columns are later periods. */
export function ByValue({ answer, field, unit }: Props) {
  const { average_rates: rates, breakdowns: rows = [], breakdowns_total: total = 0 } = answer;
  const name = nameOf(field);
  const top = Math.max(0.01, ...rows.flatMap(ratesOfEnough));
  const notes = [
    "Average of the cohorts whose period is complete.",
    total > rows.length && `${rows.length} of ${exact(total)} values.`,
    ...(answer.warnings ?? []).map(({ message }) => message),
  ].filter((text) => text !== false);
  return (
    <Card about="retention" title={`By ${name.toLowerCase()}`} wide note={notes.join(" ")}>
      <Scroll label={name} csv="retention">
        <table class="cohorts">
          <thead>
            <tr>
              <th scope="col">{name}</th>
              <th scope="col" class="num">
                Visitors
              </th>
              <PeriodHeads count={rates.length - 1} unit={unit} />
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.value ?? ""}>
                <th scope="row">
                  {row.value === null ? "(none)" : <Said text={labelOf(field, row.value)} />}
                </th>
                <td class="num">{exact(row.users)}</td>
                {returnCounts(row)
                  .slice(1)
                  .map((returned, i) => (
                    <RateCell
                      key={i}
                      {...returned}
                      rate={row.average_rates[i + 1] ?? 0}
                      top={top}
                    />
                  ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </Card>
  );
}
