import { isGuest } from "../../data/api";
import { useRead } from "../../data/reads";
import { may } from "../../state/rights";
import { filters, param, set } from "../../state/route";
import { scope } from "../../state/scope";
import { Nothing } from "../../ui/nothing";
import { type RecordingSettingsAnswer, recordingSettings } from "../../ui/recording-settings";
import { Empty } from "../../ui/states";

/** Recording is off until somebody switches it on, and needs a second script. */
export function None() {
  const isNarrowed = filters.value.length > 0 || param("with") !== "";
  const request = recordingSettings(scope.value.project);
  const { data } = useRead<RecordingSettingsAnswer>(
    "Settings of recordings",
    isGuest.value || isNarrowed ? null : request,
  );
  if (data === undefined || isNarrowed) {
    return <Nothing>No such recordings in this period</Nothing>;
  }
  return (
    <Empty>
      <strong>{data.enabled ? "No recordings in this period" : "Recording is off"}</strong>
      <p>
        {data.enabled
          ? "The settings have the snippet to add after the tracker's. Visitors who consent are then recorded."
          : "A recording shows what a visitor saw and did. Form inputs are never recorded."}
      </p>
      {may("edit") && (
        <button type="button" class="primary" onClick={() => set({ settings: "yes" })}>
          {data.enabled ? "Open the settings" : "Set up recording"}
        </button>
      )}
    </Empty>
  );
}
