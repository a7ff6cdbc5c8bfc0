import { afterAll, beforeAll, expect, test } from "bun:test";
import { addMember } from "../../../test/support/app/members";
import {
  app,
  call,
  closeWebhooks,
  openWebhooks,
  startAfresh,
} from "../../../test/support/app/webhooks";

beforeAll(openWebhooks);
afterAll(closeWebhooks);

const make = async (): Promise<string> => {
  const body = { name: "Hook", kind: "signed", url: "https://hooks.example.com/a" };
  return ((await (await call("POST", "/webhooks", body)).json()) as { id: string }).id;
};
const told = (id: string) =>
  app.deps.control.deliveries.ofWebhook(id).map(({ message }) => JSON.parse(message) as object);

test("a member who joins or leaves is told, and who did it", async () => {
  await startAfresh();
  const id = await make();
  const owner = String((await app.get("/account")).email);
  const body = { email: "new@example.com", role: "editor" };
  const { url } = (await app.post("/members/invitations", body)) as { readonly url: string };
  const token = url.split("#")[1];
  const sent = { body: { token, password: "correct horse battery" } };
  const joined = await app.send("POST", "/auth/invitation/accept", sent);
  expect(joined.status).toBe(200);
  expect(told(id)).toMatchObject([
    {
      type: "member.joined",
      data: { member: { email: "new@example.com", role: "editor" }, by: { email: body.email } },
    },
  ]);
  const { personId, email } = await addMember(app, {
    role: "viewer",
    people: false,
    projects: null,
  });
  await call("DELETE", `/members/${personId}`);
  expect(told(id)[0]).toMatchObject({
    type: "member.removed",
    data: { member: { id: personId, email, role: "viewer" }, by: { email: owner } },
  });
});
