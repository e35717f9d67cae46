import { command, sql, statement } from '../sql/statement.js';
import { unnest } from '../sql/unnest.js';
import {
  countByKey,
  countShape,
  type KeyIds,
  type Resealed,
  sealedBy,
  type SealedTable,
  type Slice,
  sliceShape,
} from './sealed-table.js';

const sealed = sql`sealed_url`;

/** The addresses of tracked links, with `SEAL_MESSAGES`. Plain ones stay as they are. */
export const linkUrls: SealedTable = {
  column: 'tracked_link.sealed_url',
  start: '',
  read: statement(
    sliceShape,
    ({ after, limit, earlierKeys }: Slice) => sql`
      SELECT link.code AS id, delivery.organisation_id AS "organisationId", NULL::text AS plain,
        ${sealedBy(sealed, earlierKeys)} AS sealed
      FROM tracked_link AS link JOIN delivery ON delivery.id = link.delivery_id
      WHERE link.code > ${after} ORDER BY link.code LIMIT ${limit}`,
  ),
  store: command(
    (rows: readonly Resealed[]) => sql`
      WITH free AS (
        SELECT code AS id FROM tracked_link WHERE code = ANY (${rows.map(({ id }) => id)}::text[]) FOR UPDATE SKIP LOCKED)
      UPDATE tracked_link AS own SET sealed_url = given.sealed
      FROM ${unnest('given', rows, { text: ['id'], bytea: ['before', 'sealed'] })} JOIN free USING (id)
      WHERE own.code = given.id AND own.sealed_url = given.before`,
  ),
  count: statement(
    countShape,
    (keys: KeyIds) => sql`SELECT ${countByKey(sql`NULL::text`, sealed, keys)} FROM tracked_link`,
  ),
};
