import { ApiError } from "../../../domain/errors";

const unavailable = (message: string): ApiError =>
  new ApiError("UNAVAILABLE", message, { retry_after_seconds: 1 });
export const queueFull = (): ApiError =>
  unavailable(
    "Too many events of this project are waiting to be stored. Send these again in a second.",
  );
export const closing = (): ApiError =>
  unavailable("The server is stopping. Send the request again in a second.");
export const notStored = (): ApiError =>
  unavailable("The storage does not respond, so none of this was stored. Send the request again.");
export const mayBeStored = (): ApiError =>
  unavailable(
    "The storage does not respond, but the events may still be stored. Send them again with the same " +
      "event_id: the server then stores them only once.",
  );
