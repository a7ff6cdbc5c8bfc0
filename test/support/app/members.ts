import type { Standing } from "../../../src/domain/role";
import { clock } from "../../../src/lib/clock";
import { newId } from "../../../src/lib/ids";
import { addKey, type MemberId } from "../../../src/store/control/keys";
import { member, person } from "../../../src/store/control/member-tables";
import { addSession } from "../../../src/store/control/people";
import type { Call, TestApp } from "./app";

/** A member of the first account, with a browser and a key. */
export interface TestMember extends MemberId {
  readonly email: string;
  readonly cookie: Call;
  readonly key: Call;
}

let made = 0;

/** Makes a log-in that is a member of the first account, without an invitation. */
export async function addMember(app: TestApp, standing: Standing): Promise<TestMember> {
  const { control } = app.deps;
  const accountId = String((await app.get("/account")).id);
  const personId = newId("usr");
  const email = `member${++made}@example.com`;
  const nowMs = clock.nowMs();
  control.write(() => {
    const row = { id: personId, email, passwordHash: "", isAdmin: false, createdAtMs: nowMs };
    control.db.insert(person).values(row).run();
    control.db
      .insert(member)
      .values({ accountId, personId, ...standing, joinedAtMs: nowMs })
      .run();
  });
  addSession(control, personId, `secret of ${email}`, { label: null, network: null });
  const key = addKey(control, { accountId, personId });
  const headers = {
    cookie: `sl_session=${`secret of ${email}`}`,
    origin: app.deps.config.publicUrl,
  };
  return {
    accountId,
    personId,
    email,
    cookie: { headers },
    key: { headers: { "x-api-key": key } },
  };
}
