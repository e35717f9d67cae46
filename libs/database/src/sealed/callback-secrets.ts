import { command, sql, statement } from '../sql/statement.js';
import { unnest } from '../sql/unnest.js';
import {
  countByKey,
  countShape,
  firstUuid,
  type KeyIds,
  type Resealed,
  sealedBy,
  type SealedTable,
  type Slice,
  sliceShape,
} from './sealed-table.js';

const [plain, sealed] = [sql`secret`, sql`sealed_secret`];

/** Plain secrets are from before secrets were sealed. */
export const callbackSecrets: SealedTable = {
  column: 'callback_secret.sealed_secret',
  start: firstUuid,
  read: statement(
    sliceShape,
    ({ after, limit, earlierKeys }: Slice) => sql`
      SELECT id::text, organisation_id AS "organisationId", ${plain} AS plain,
        ${sealedBy(sealed, earlierKeys)} AS sealed
      FROM callback_secret WHERE callback_secret.id > ${after}::uuid ORDER BY callback_secret.id LIMIT ${limit}`,
  ),
  store: command(
    (rows: readonly Resealed[]) => sql`
      WITH free AS (
        SELECT id FROM callback_secret WHERE id = ANY (${rows.map(({ id }) => id)}::uuid[]) FOR UPDATE SKIP LOCKED)
      UPDATE callback_secret AS own SET secret = NULL, sealed_secret = given.sealed
      FROM ${unnest('given', rows, { uuid: ['id'], bytea: ['before', 'sealed'] })} JOIN free USING (id)
      WHERE own.id = given.id AND own.sealed_secret IS NOT DISTINCT FROM given.before`,
  ),
  count: statement(
    countShape,
    (keys: KeyIds) => sql`SELECT ${countByKey(plain, sealed, keys)} FROM callback_secret`,
  ),
};
