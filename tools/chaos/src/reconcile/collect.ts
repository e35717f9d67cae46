import { checkLedger } from '@gangan/billing';
import { type Database, deliveryAttempts, sql } from '@gangan/database';
import type { Facts } from './facts.js';

/** Reads what is stored. Nothing changes any more. */
export async function collectRows(database: Database) {
  type Rows = { [Name in keyof Facts]: Facts[Name] extends readonly (infer Row)[] ? Row : never };
  const { findings, warnings } = await checkLedger(database);
  return {
    ledgerFindings: [...findings, ...warnings].map(({ rule, id, message }) => `${rule} ${id}: ${message}`),
    messages: await database.query<Rows['messages']>(sql`
      SELECT id, organisation_id AS "organisationId", external_ref AS "externalRef", charge_kobo AS "chargeKobo",
        smartlist_id IS NOT NULL AS "isSmartlist" FROM message`),
    deliveries: await database.query<Rows['deliveries']>(sql`
      SELECT id, organisation_id AS "organisationId", message_id AS "messageId", otp_id AS "otpId", recipient,
        state::text, error_code AS "errorCode", refunded, charge_kobo AS "chargeKobo", worker_deaths AS "workerDeaths" FROM delivery`),
    attempts: await database.query<Rows['attempts']>(sql`
      SELECT delivery_id AS "deliveryId", attempt, outcome, started_at AS "startedAt", ended_at AS "endedAt"
      FROM ${deliveryAttempts} AS made ORDER BY delivery_id, attempt`),
    accepted: await database.query<Rows['accepted']>(sql`
      SELECT reference AS "deliveryId", recipient FROM simulated_message WHERE outcome = 'accepted'`),
    otps: await database.query<Rows['otps']>(sql`
      SELECT id, organisation_id AS "organisationId", charge_kobo AS "chargeKobo",
        (SELECT count(*)::int FROM otp_verification WHERE otp_id = otp.id AND outcome = 'verified') AS verified
      FROM otp`),
    purchases: await database.query<Rows['purchases']>(sql`
      SELECT id, organisation_id AS "organisationId", external_ref AS "externalRef", recipient, state::text,
        error_code AS "errorCode", refunded, amount_kobo AS kobo, created_at AS "createdAt", updated_at AS "endedAt"
      FROM airtime_purchase`),
    topUps: await database.query<Rows['topUps']>(sql`
      SELECT reference AS "purchaseId", recipient, amount_kobo AS kobo, outcome FROM simulated_top_up`),
    contacts: await database.query<Rows['contacts']>(sql`
      SELECT contact_row.id, organisation_id AS "organisationId", cells
      FROM contact_row JOIN contact_table ON contact_table.id = table_id`),
    callbacks: await database.query<Rows['callbacks']>(sql`
      SELECT id, organisation_id AS "organisationId", type, resource_id AS "resourceId",
        body::jsonb #>> '{data,delivery_id}' AS "deliveryId", state::text
      FROM callback`),
    ledger: await database.query<Rows['ledger']>(sql`
      SELECT kind::text, subject_id AS "subjectId", kobo FROM ledger_movement WHERE kind <> 'top_up'`),
  };
}
