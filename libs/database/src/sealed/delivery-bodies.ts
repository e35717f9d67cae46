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

const sealed = sql`sealed_body`;
/** Only deliveries that no provider has taken have a body. */
const isOpen = sql`state IN ('queued', 'submitting') AND sealed_body IS NOT NULL`;

/** The texts of OTPs, and with `SEAL_MESSAGES` the values of recipients, until a provider has them. */
export const deliveryBodies: SealedTable = {
  column: 'delivery.sealed_body',
  start: firstUuid,
  read: statement(
    sliceShape,
    ({ after, limit, earlierKeys }: Slice) => sql`
      SELECT id::text, organisation_id AS "organisationId", NULL::text AS plain,
        ${sealedBy(sealed, earlierKeys)} AS sealed
      FROM delivery WHERE ${isOpen} AND delivery.id > ${after}::uuid ORDER BY delivery.id LIMIT ${limit}`,
  ),
  store: command(
    (rows: readonly Resealed[]) => sql`
      WITH free AS (
        SELECT id FROM delivery WHERE id = ANY (${rows.map(({ id }) => id)}::uuid[]) FOR UPDATE SKIP LOCKED)
      UPDATE delivery AS own SET sealed_body = given.sealed
      FROM ${unnest('given', rows, { uuid: ['id'], bytea: ['before', 'sealed'] })} JOIN free USING (id)
      WHERE own.id = given.id AND own.sealed_body = given.before`,
  ),
  count: statement(
    countShape,
    (keys: KeyIds) => sql`SELECT ${countByKey(sql`NULL::text`, sealed, keys)} FROM delivery WHERE ${isOpen}`,
  ),
};
