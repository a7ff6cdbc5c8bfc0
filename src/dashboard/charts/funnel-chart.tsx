import type { FunnelStep } from "../data/answers";
import { duration, exact, percent, short } from "../lib/format";
import { Said } from "../ui/said";
import { Scroll } from "../ui/scroll";

export interface FunnelLinks {
  readonly reached: string;
  readonly dropped: string;
}

interface StepLinkProps {
  readonly to: string | undefined;
  readonly of: string;
  readonly children: string;
}

function StepLink({ to, of, children }: StepLinkProps) {
  if (to === undefined) return <span>{children}</span>;
  return (
    <a class="link" href={to} aria-label={`${of}: ${children}`} title={`${of}, in any order`}>
      {children}
    </a>
  );
}

/** Each column is as high as the part of step 1 that reached its step; the hatched part left before it. */
export function FunnelChart({
  steps,
  worst,
  termOf,
  linksOf,
}: {
  readonly steps: readonly FunnelStep[];
  /** The step before which most are lost. */
  readonly worst: number | undefined;
  readonly termOf: (event: string) => string | undefined;
  /** Returns links to the visitors who reached a step and to those who left before it; null without such links. */
  readonly linksOf: (step: number) => FunnelLinks | null;
}) {
  const first = steps[0]?.users ?? 0;
  return (
    <Scroll label="Funnel">
      <ol class="funnel">
        {steps.map((step, i) => {
          const share = first === 0 ? 0 : step.users / first;
          const next = steps[i + 1];
          const nextShare = next === undefined || first === 0 ? 0 : next.users / first;
          const links = linksOf(i);
          const lost = i === 0 ? 0 : (steps[i - 1]?.users ?? 0) - step.users;
          return (
            <li key={step.step}>
              <div class="funnel-head">
                <span class="step-number">{step.step}</span>
                <b>
                  <Said text={step.event} />
                </b>
                <small>{termOf(step.event)}</small>
              </div>
              <div class="funnel-plot">
                <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
                  <rect class="funnel-track" x="0" y="0" width="58" height="100" />
                  <rect
                    class="funnel-bar"
                    x="0"
                    y={100 - share * 100}
                    width="58"
                    height={share * 100}
                  />
                  {next !== undefined && (
                    <polygon
                      class="funnel-flow"
                      points={`58,${100 - share * 100} 100,${100 - nextShare * 100} 100,100 58,100`}
                    />
                  )}
                </svg>
                <span class="funnel-share">{percent(share)}</span>
                {next !== undefined && (
                  <span class="funnel-step-rate" title="From this step to the next">
                    {percent(next.conversion_rates.from_previous)}
                  </span>
                )}
              </div>
              <dl>
                <div>
                  <dt>Reached</dt>
                  <dd title={exact(step.users)}>
                    <StepLink to={links?.reached} of="Who reached it">
                      {short(step.users)}
                    </StepLink>
                  </dd>
                </div>
                <div>
                  <dt>Dropped off</dt>
                  <dd class={step.step === worst ? "worst" : ""}>
                    {i === 0 ? (
                      "–"
                    ) : (
                      <StepLink to={links?.dropped} of="Who dropped off">
                        {`${short(lost)} (${percent(step.drop_off_rate)})`}
                      </StepLink>
                    )}
                  </dd>
                </div>
                <div>
                  <dt>Average time to next step</dt>
                  <dd>
                    {step.avg_time_to_next_ms === null ? "–" : duration(step.avg_time_to_next_ms)}
                  </dd>
                </div>
              </dl>
            </li>
          );
        })}
      </ol>
    </Scroll>
  );
}
