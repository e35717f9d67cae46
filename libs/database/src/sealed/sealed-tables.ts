import { sql } from '../sql/statement.js';
import { sealedTable } from './sealed-table.js';

/** Earlier versions stored secrets in plain text. */
export const callbackSecrets = sealedTable('callback_secret.sealed_secret', { plain: sql`secret` });

/** The texts of OTPs, and with `SEAL_MESSAGES` the values of recipients, until a provider has them. */
const deliveryBodies = sealedTable('delivery.sealed_body', {
  where: sql`own.state IN ('queued', 'submitting') AND own.sealed_body IS NOT NULL`,
});

/** With `SEAL_MESSAGES`. */
const messageTexts = sealedTable('message.sealed_text');

/** The addresses of tracked links, with `SEAL_MESSAGES`. */
const linkUrls = sealedTable('tracked_link.sealed_url', {
  key: { name: sql`code`, type: 'text', start: '' },
  organisation: {
    join: sql`JOIN delivery ON delivery.id = own.delivery_id`,
    id: sql`delivery.organisation_id`,
  },
});

/** Everything that is stored sealed with `DATA_KEY`. */
export const sealedTables = [callbackSecrets, deliveryBodies, messageTexts, linkUrls];
