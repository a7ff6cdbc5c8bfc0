import Type from "typebox";
import { Since, timeCharsMax } from "./fields";
import { comparedPeriods } from "./period";

const Label = Type.Enum([...comparedPeriods], {
  description: "Dates up to until, default 7d. Or send since and until.",
});

/** The fields of reads that compare a period with the one before. */
export const ofComparedWindow = {
  period: Type.Optional(Label),
  // Neither has a default, so that the server knows which of the two the caller sent.
  since: Type.Optional({ ...Since, default: undefined }),
  until: Type.Optional(
    Type.String({ maxLength: timeCharsMax, description: "Last date. Default: today." }),
  ),
};

/** The period's length as an answer shows it; null for dates that the caller named. */
export const ComparedLabel = Type.Union([Type.Enum([...comparedPeriods]), Type.Null()]);
