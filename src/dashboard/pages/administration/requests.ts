/** An account that is changed or added is in the list, which is then read again. */
export const accountsRequest = { method: "GET", path: "/admin/accounts" } as const;
