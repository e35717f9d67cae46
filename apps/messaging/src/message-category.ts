import { type Sql, sql } from '@gangan/database';

/** The category of an organisation's messages that name none: an expression of a query on `organisation`. */
export const defaultCategory = sql`
  CASE WHEN settings -> 'sms' @> '{"default_category": "promotional"}' THEN 'promotional' ELSE 'transactional' END`;

/** The category of a message. Messages of earlier versions have none. @param id an expression; NULL for an OTP */
export const categoryOfMessage = (id: Sql): Sql => sql`
  (SELECT coalesce(message.category, (
     SELECT ${defaultCategory} FROM organisation WHERE organisation.id = message.organisation_id))
   FROM message WHERE message.id = ${id})`;
