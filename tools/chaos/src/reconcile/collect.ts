import { checkLedger } from '@gangan/billing';
import { type Database, deliveryAttempts, sql } from '@gangan/database';
import type {
  AttemptFact,
  CallbackFact,
  ContactFact,
  DeliveryFact,
  Facts,
  LedgerFact,
  MessageFact,
  OtpFact,
  PurchaseFact,
  TopUpFact,
} from './facts.js';

type StoredFacts = Pick<
  Facts,
  | 'messages'
  | 'deliveries'
  | 'attempts'
  | 'accepted'
  | 'otps'
  | 'purchases'
  | 'topUps'
  | 'contacts'
  | 'callbacks'
  | 'ledger'
  | 'ledgerFindings'
>;

/** Reads what is stored. Nothing changes any more. */
export async function collectRows(database: Database): Promise<StoredFacts> {
  const { findings, warnings } = await checkLedger(database);
  return {
    ledgerFindings: [...findings, ...warnings].map(({ rule, id, message }) => `${rule} ${id}: ${message}`),
    messages: await database.query<MessageFact>(sql`
      SELECT id, organisation_id AS "organisationId", external_ref AS "externalRef", charge_kobo AS "chargeKobo",
        smartlist_id IS NOT NULL AS "isSmartlist" FROM message`),
    deliveries: await database.query<DeliveryFact>(sql`
      SELECT id, organisation_id AS "organisationId", message_id AS "messageId", otp_id AS "otpId", recipient,
        state::text, error_code AS "errorCode", refunded, charge_kobo AS "chargeKobo", worker_deaths AS "workerDeaths" FROM delivery`),
    attempts: await database.query<AttemptFact>(sql`
      SELECT delivery_id AS "deliveryId", attempt, outcome, started_at AS "startedAt", ended_at AS "endedAt"
      FROM ${deliveryAttempts} AS made ORDER BY delivery_id, attempt`),
    accepted: await database.query<Facts['accepted'][number]>(sql`
      SELECT reference AS "deliveryId", recipient FROM simulated_message WHERE outcome = 'accepted'`),
    otps: await database.query<OtpFact>(sql`
      SELECT id, organisation_id AS "organisationId", charge_kobo AS "chargeKobo",
        (SELECT count(*)::int FROM otp_verification WHERE otp_id = otp.id AND outcome = 'verified') AS verified
      FROM otp`),
    purchases: await database.query<PurchaseFact>(sql`
      SELECT id, organisation_id AS "organisationId", external_ref AS "externalRef", recipient, state::text,
        error_code AS "errorCode", refunded, amount_kobo AS kobo, created_at AS "createdAt", updated_at AS "endedAt"
      FROM airtime_purchase`),
    topUps: await database.query<TopUpFact>(sql`
      SELECT reference AS "purchaseId", recipient, amount_kobo AS kobo, outcome FROM simulated_top_up`),
    contacts: await database.query<ContactFact>(sql`
      SELECT contact_row.id, organisation_id AS "organisationId", cells
      FROM contact_row JOIN contact_table ON contact_table.id = table_id`),
    callbacks: await database.query<CallbackFact>(sql`
      SELECT id, organisation_id AS "organisationId", type, resource_id AS "resourceId",
        body::jsonb #>> '{data,delivery_id}' AS "deliveryId", state::text
      FROM callback`),
    ledger: await database.query<LedgerFact>(sql`
      SELECT kind::text, subject_id AS "subjectId", kobo FROM ledger_movement WHERE kind <> 'top_up'`),
  };
}
