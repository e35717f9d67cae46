import { Prisma, sql } from '@gangan/database';
import { nilUuid } from '@gangan/protocol';
import { sealedTable } from './sealed-table.js';

/** Earlier versions stored secrets in plain text. */
export const callbackSecrets = sealedTable('callback_secret.sealed_secret', { plain: sql`secret` });

const endpointSecrets = sealedTable('callback_endpoint_secret.sealed_secret');

/** The texts of OTPs, and with `SEAL_MESSAGES` the values of recipients, until a provider has them. */
const deliveryBodies = sealedTable('delivery.sealed_body', {
  where: sql`own.state IN ('queued', 'submitting') AND own.sealed_body IS NOT NULL`,
});

/** The tokens of OTPs that have not ended. */
const otpTokens = sealedTable('otp.sealed_token', { where: sql`own.sealed_token IS NOT NULL` });

/** The texts of messages that were sent with `SEAL_MESSAGES`. */
const messageTexts = sealedTable('message.sealed_text');
const incomingTexts = sealedTable('incoming_message.sealed_text');
const callbackBodies = sealedTable('callback.sealed_body', { where: sql`own.sealed_body IS NOT NULL` });

/** What the simulator was given for test organisations. */
const outboxTexts = sealedTable('outbox_message.sealed_text');

/** The addresses of tracked links, with `SEAL_MESSAGES`. */
const linkUrls = sealedTable('tracked_link.sealed_url', {
  key: { name: sql`code`, type: 'text', start: '' },
  organisation: {
    join: sql`JOIN delivery ON delivery.id = own.delivery_id`,
    id: sql`delivery.organisation_id`,
  },
});

/** Providers of the installation belong to no organisation. */
const ownerOfProvider = { join: Prisma.empty, id: sql`coalesce(own.organisation_id, ${nilUuid}::uuid)` };
const ofProvider = { organisation: ownerOfProvider, domain: sql`own.domains[1]` };
const providerSecrets = sealedTable('provider.sealed_secrets', ofProvider);
const providerTokens = sealedTable('provider.sealed_token', ofProvider);

/** Requests of providers. Unverified ones are sealed with a key of `QUEUE_KEYS`. */
const inboundContents = sealedTable('inbound_request.sealed_content', {
  organisation: { join: Prisma.empty, id: sql`${nilUuid}::uuid` },
  where: sql`own.unverified_bytes IS NULL`,
});

/** Everything that is stored sealed with `DATA_KEYS`. */
export const sealedTables = [
  ...[callbackSecrets, deliveryBodies, messageTexts, linkUrls],
  ...[providerSecrets, providerTokens, inboundContents, endpointSecrets],
  ...[incomingTexts, callbackBodies, otpTokens, outboxTexts],
];
