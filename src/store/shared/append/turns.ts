/**
 * Puts requests in the order in which projects take turns: the first of each project, then the second of each. So a
 * request waits for one request of each other project, however many that has sent. The order within a project stays.
 */
export function inTurns<Request extends { readonly project: string }>(
  requests: readonly Request[],
): Request[] {
  const seen = new Map<string, number>();
  const rounds: Request[][] = [];
  for (const request of requests) {
    const round = seen.get(request.project) ?? 0;
    seen.set(request.project, round + 1);
    if (round === rounds.length) rounds.push([]);
    rounds[round].push(request);
  }
  return rounds.flat();
}
