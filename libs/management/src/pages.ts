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

const batchSize = 5_000;

/** Rows in batches, so that few of them are in memory. */
export async function* inBatches<Row>(rows: AsyncIterable<Row>): AsyncGenerator<readonly Row[]> {
  let batch: Row[] = [];
  for await (const row of rows) {
    if (batch.push(row) < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
