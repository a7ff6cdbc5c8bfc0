import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";

interface AddingSelectProps {
  readonly label: string;
  readonly children: ComponentChildren;
  readonly add: (value: string) => void;
}

/**
 * A list of which one after the other is added. Keys change such a list with every press, on the way to what is meant:
 * there Enter adds it, or going on to the next control.
 */
export function AddingSelect({ label, children, add }: AddingSelectProps) {
  const [wanted, setWanted] = useState("");
  const isByKey = useRef(false);
  const addWanted = () => {
    if (wanted === "") return;
    setWanted("");
    add(wanted);
  };
  return (
    <select
      aria-label={label}
      title="Press Enter to add the selection"
      value={wanted}
      onPointerDown={() => {
        isByKey.current = false;
      }}
      onKeyDown={(event) => {
        isByKey.current = true;
        if (event.key !== "Enter" || wanted === "") return;
        event.preventDefault();
        addWanted();
      }}
      onBlur={addWanted}
      onChange={({ currentTarget }) => {
        const { value } = currentTarget;
        if (isByKey.current) return setWanted(value);
        currentTarget.value = "";
        add(value);
      }}
    >
      {children}
    </select>
  );
}
