import type { FoundSession, Snapshot, View } from "../questions";

/** Each page passes over all sessions once. */
const sessionsPerPage = 10_000;

/** Yields the sessions that began in a view, newest first, a page at a time. */
export async function* sessionPages(
  questions: Pick<Snapshot, "newestSessions">,
  view: View,
): AsyncGenerator<readonly FoundSession[]> {
  const request = {
    ...{ project_id: view.projectId, user_id: null, session_id: null, is_bounce: null },
    limit: sessionsPerPage,
  };
  let before: { readonly startMs: number; readonly id: string } | null = null;
  for (;;) {
    const page: readonly FoundSession[] = await questions.newestSessions(view, {
      ...request,
      before,
    });
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < sessionsPerPage) return;
    before = { startMs: last.start_time, id: last.session_id };
  }
}
