import { Check, Choice } from "../../ui/field";

export interface Rights {
  /** The tier; empty for the server's default. */
  readonly tier: "" | "free" | "pro";
  readonly complimentary: boolean;
  readonly is_admin: boolean;
}

interface RightsFieldsProps {
  readonly form: string;
  readonly rights: Rights;
  readonly change: (rights: Rights) => void;
  readonly mayLeaveTier?: boolean;
}

export const RightsFields = ({ form, rights, change, mayLeaveTier = false }: RightsFieldsProps) => (
  <>
    <Choice
      id={`${form}-tier`}
      label="Plan"
      options={{ ...(mayLeaveTier && { "": "Server default" }), free: "Free", pro: "Pro" }}
      value={rights.tier}
      change={(value) =>
        change({ ...rights, tier: value === "free" || value === "pro" ? value : "" })
      }
    />
    <Check
      id={`${form}-complimentary`}
      label="Pro for free"
      isOn={rights.complimentary}
      change={(complimentary) => change({ ...rights, complimentary })}
    />
    <Check
      id={`${form}-admin`}
      label="Administrator"
      isOn={rights.is_admin}
      change={(is_admin) => change({ ...rights, is_admin })}
    />
  </>
);
