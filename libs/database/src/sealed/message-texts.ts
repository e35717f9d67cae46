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

const sealed = sql`sealed_text`;

/** The texts of messages, with `SEAL_MESSAGES`. Plain ones stay as they are. */
export const messageTexts: SealedTable = {
  column: 'message.sealed_text',
  start: firstUuid,
  read: statement(
    sliceShape,
    ({ after, limit, earlierKeys }: Slice) => sql`
      SELECT id::text, organisation_id AS "organisationId", NULL::text AS plain,
        ${sealedBy(sealed, earlierKeys)} AS sealed
      FROM message WHERE message.id > ${after}::uuid ORDER BY message.id LIMIT ${limit}`,
  ),
  store: command(
    (rows: readonly Resealed[]) => sql`
      WITH free AS (
        SELECT id FROM message WHERE id = ANY (${rows.map(({ id }) => id)}::uuid[]) FOR UPDATE SKIP LOCKED)
      UPDATE message AS own SET sealed_text = given.sealed
      FROM ${unnest('given', rows, { uuid: ['id'], bytea: ['before', 'sealed'] })} JOIN free USING (id)
      WHERE own.id = given.id AND own.sealed_text = given.before`,
  ),
  count: statement(
    countShape,
    (keys: KeyIds) => sql`SELECT ${countByKey(sql`NULL::text`, sealed, keys)} FROM message`,
  ),
};
