import { shareStatement } from '../sql/statement-loader.js';

/** Reads one organisation. Calls of a batch share a statement. @param read returns the rows that exist */
export const organisationLoader = <Row extends { readonly id: string }>(
  read: (ids: readonly string[]) => Promise<readonly Row[]>,
): ((organisationId: string) => Promise<Row>) =>
  shareStatement(
    async (ids: readonly string[]) => {
      const rows = await read([...new Set(ids)]);
      const found = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => found.get(id) ?? new Error(`There is no organisation ${id}`));
    },
    { readOnly: true },
  );
