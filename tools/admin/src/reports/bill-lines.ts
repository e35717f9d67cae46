import { CsvColumns, type CsvRecord } from '../reconcile/csv-records.js';

/** The columns of a bill, as its first line names them. */
export interface BillColumns {
  readonly reference: string;
  readonly price: string;
  readonly status?: string;
}

export interface BillLine {
  readonly line: number;
  readonly reference: string;
  readonly price: string;
  readonly status: string;
}

/** @throws CommandError if a column is missing */
export async function* readBill(
  records: AsyncIterable<CsvRecord>,
  columns: BillColumns,
): AsyncGenerator<BillLine> {
  let places: { reference: number; price: number; status: number } | undefined;
  for await (const { line, cells } of records) {
    if (!places) {
      const header = new CsvColumns(cells);
      places = {
        reference: header.get(columns.reference),
        price: header.get(columns.price),
        status: columns.status === undefined ? -1 : header.get(columns.status),
      };
      continue;
    }
    const { reference, price, status } = places;
    const at = (index: number): string => (cells[index] ?? '').trim();
    yield { line, reference: at(reference), price: at(price), status: at(status) };
  }
}
