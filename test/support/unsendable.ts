import { answerQuestions } from "../../src/store/protocol/answering";

/** A thread whose answer to "function" cannot be sent. */
answerQuestions<string>((question) => (question === "function" ? () => question : question));
