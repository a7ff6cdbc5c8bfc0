import { answerQuestions, workerLine } from "../../../src/store/protocol/answering";

/** A thread whose answer to "function" cannot be sent. */
answerQuestions<string>(workerLine, (question) =>
  question === "function" ? () => question : question,
);
