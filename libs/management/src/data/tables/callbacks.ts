import { erasedNumber } from '@gangan/contracts';
import { sql } from '@gangan/database';
import { anyOf, inText } from '../search/text-search.js';
import { deletedRows, inOrganisation } from './deleted-rows.js';

/** Rows that are read to find a number in their text. */
const textLimit = 2_000;

/** Callbacks about the number, and those about a message to this number alone that mention it. */
export const callbacks = deletedRows('callback', {
  limit: textLimit,
  where: inOrganisation,
  hit: anyOf(
    ({
      patterns: { exact },
    }) => sql`coalesce(coalesce(body::json #>> '{data,recipient}', body::json #>> '{data,sender}',
      body::json #>> '{data,phone}') ~ ${exact}, false)`,
    (scope) => sql`(${inText('body')(scope)} AND EXISTS (
      SELECT FROM message WHERE id = own.resource_id AND recipients <> '{}' AND ${erasedNumber} = ALL (recipients)))`,
  ),
});
