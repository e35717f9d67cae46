/** Reads rows page by page until one is not full. @param read returns at most `size` rows after the last one of the page before */
export async function* pagesOf<Row>(
  size: number,
  read: (last: Row | undefined) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let last: Row | undefined; ;) {
    const page = await read(last);
    yield page;
    last = page.at(-1);
    if (page.length < size) return;
  }
}
