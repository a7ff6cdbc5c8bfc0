import { ApiError } from "../../../domain/errors";

const unavailable = (message: string): ApiError =>
  new ApiError("UNAVAILABLE", message, { retry_after_seconds: 1 });
export const queueFull = (): ApiError =>
  unavailable("Too many events of this project wait to be stored. Send them again in a second.");
export const closing = (): ApiError =>
  unavailable("The server is stopping. Send the request again in a second.");
export const notStored = (): ApiError =>
  unavailable(
    "The storage does not answer, so nothing of this was stored. Send the request again.",
  );
export const mayBeStored = (): ApiError =>
  unavailable(
    "The storage does not answer. What was sent may still be stored: send it again with the same event_id, by which " +
      "a repeat is known and stored once.",
  );
