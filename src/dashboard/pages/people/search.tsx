import { useState } from "preact/hooks";
import { call } from "../../data/api";
import type { JourneyAnswer } from "../../data/people-answers";
import { linkToPerson } from "../../state/links";
import { go, place } from "../../state/route";
import { Card } from "../../ui/card";
import { Field } from "../../ui/field";
import { Form } from "../../ui/form";

/** Searches by id or mail address. An address goes in the body of a request, never into a page's address. */
export function Search() {
  const [wanted, setWanted] = useState("");
  const search = async () => {
    const text = wanted.trim();
    if (text === "") return;
    if (!text.includes("@")) return go(linkToPerson(text));
    const { answer } = await call<JourneyAnswer>({
      method: "POST",
      path: "/journey/lookup",
      body: { project: place.value.project, email: text },
    });
    const [found] = answer.matched_user_ids;
    if (found === undefined)
      throw new Error("No visitor with this email was identified in this project.");
    go(linkToPerson(found));
  };
  return (
    <Card title="Find a visitor">
      <Form isRow send={search} submit="Show journey">
        <Field
          id="person-search"
          label="ID or email"
          isRequired={false}
          value={wanted}
          change={setWanted}
        />
      </Form>
    </Card>
  );
}
