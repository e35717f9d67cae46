import { StatementLoader } from '@gangan/database';

/** The id of a row, and the organisation that asks for it. */
export interface OwnedId {
  readonly id: string;
  readonly organisationId: string;
}

/** Finds rows by id, for all members of a batch at once; those of other organisations are undefined. */
export function ownedRows<Row extends OwnedId>(
  findAll: (ids: readonly string[]) => Promise<readonly Row[]>,
): (owned: OwnedId) => Promise<Row | undefined> {
  const loader = new StatementLoader(
    async (owned: readonly OwnedId[]) => {
      const rows = await findAll([...new Set(owned.map(({ id }) => id))]);
      const byId = new Map(rows.map((row) => [row.id, row]));
      return owned.map(({ id, organisationId }) => {
        const row = byId.get(id);
        return row?.organisationId === organisationId ? row : undefined;
      });
    },
    { readOnly: true },
  );
  return ({ id, organisationId }) => loader.load({ id: id.toLowerCase(), organisationId });
}
