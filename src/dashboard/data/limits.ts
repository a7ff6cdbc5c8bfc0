/** How much of a project's context is kept; a test holds these against the server's own. */
export const contextMax = { goals: 5, activationEvents: 8, glossary: 10, annotations: 100 };
