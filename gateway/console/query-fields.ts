/** The fields of a search that an address has, for the address of its next page. Empty ones are left out. */
export const fieldsOfQuery = (query: URLSearchParams, names: readonly string[]): [string, string][] =>
  names.flatMap((name): [string, string][] => {
    const value = query.get(name);
    return value ? [[name, value]] : [];
  });
