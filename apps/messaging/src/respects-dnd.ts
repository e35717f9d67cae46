import { sql } from '@gangan/database';

/** Whether the recipients of an organisation are compared with the DND list: a column of a query on `organisation`. */
export const respectsDnd = sql`settings -> 'sms' @> '{"respect_dnd": true}' IS TRUE AS respects_dnd`;
