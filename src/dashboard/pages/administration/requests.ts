/** Who is changed or added is in the list that is read again. */
export const accountsRequest = { method: "GET", path: "/admin/accounts" } as const;
