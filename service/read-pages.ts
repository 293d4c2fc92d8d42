/** The records of a list by ascending ids. @param loadPage loads the records that follow an id; none at the end */
export async function* readPages<Item extends { id: number }>(
  loadPage: (after: number) => Promise<Item[]>,
): AsyncGenerator<Item> {
  for (let page = await loadPage(0); page.length > 0; page = await loadPage(page.at(-1)?.id ?? 0))
    yield* page;
}
