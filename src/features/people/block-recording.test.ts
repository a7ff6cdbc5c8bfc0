import { expect, test } from "bun:test";
import { type Json, noonMs, testApp } from "../../../test/support/app/app";
import { erasedPerson } from "../../../test/support/app/people";
import { opening, recordedProject } from "../../../test/support/app/recording";
import { eventually } from "../../../test/support/suite/eventually";

test("an event of a blocked id ends the recording of its session, and lets none begin there", async () => {
  const app = await testApp();
  try {
    const project = await recordedProject(app, "recorded");
    const seen = (userId: string, session: string) => ({
      ...{ event: "visit", user_id: userId, session_id: session, timestamp: noonMs },
    });
    await app.track(project, seen("watched", "s1"));
    await erasedPerson(app, { project: "recorded", user_id: "watched", block: true });
    const start = async (session: string): Promise<Json> => {
      const body = { token: project.token, session_id: session };
      return (await (await app.send("POST", "/replays/ingest/start", { body })).json()) as Json;
    };
    // The recorder is faster than the first event.
    const { replay_id: id, upload_token } = await start("s2");
    const segment = { upload_token, seq: 0, events: opening() };
    const sent = () => app.send("POST", `/replays/ingest/${id}/segments`, { body: segment });
    expect(await (await sent()).json()).toMatchObject({ stored: true });
    await app.track(project, seen("watched", "s2"), seen("somebody", "s3"));
    await eventually(async () => {
      expect(await app.get("/replays?project=recorded")).toMatchObject({ replays: [] });
    });
    expect((await sent()).ok).toBe(false);
    expect(await start("s2")).toEqual({ ok: true, recording: false });
    expect(await start("s3")).toMatchObject({ recording: true });
  } finally {
    await app.close();
  }
});
