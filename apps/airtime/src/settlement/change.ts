import { toNaira } from '@gangan/billing';
import type { NewCallback } from '@gangan/callbacks';
import { type AirtimeCallback, type Network, formatTimestamp } from '@gangan/contracts';
import { sql } from '@gangan/database';

/** A purchase whose status has just changed. */
export interface Change {
  readonly id: string;
  readonly organisationId: string;
  readonly requestId: string;
  readonly callbackUrl: string | null;
  readonly network: Network;
  readonly kobo: bigint;
  readonly recipientGiven: string;
  readonly state: AirtimeCallback['data']['status'];
  readonly refunded: boolean;
  readonly externalRef: string | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Of an `UPDATE airtime_purchase AS purchase`. */
export const changeColumns = sql`
  purchase.id, purchase.organisation_id AS "organisationId", purchase.request_id AS "requestId",
  purchase.callback_url AS "callbackUrl", purchase.network, purchase.amount_kobo AS kobo,
  purchase.recipient_given AS "recipientGiven", purchase.state, purchase.refunded,
  purchase.external_ref AS "externalRef", purchase.error_code AS "errorCode",
  purchase.error_message AS "errorMessage", purchase.created_at AS "createdAt", purchase.updated_at AS "updatedAt"`;

/** What the consumer is told, if there is one. */
export function reportsOf(changes: readonly Change[]): NewCallback[] {
  return changes.flatMap(({ callbackUrl: url, ...change }) => (url === null ? [] : [reportOf(change, url)]));
}

function reportOf(change: Omit<Change, 'callbackUrl'>, url: string): NewCallback {
  const { id, organisationId, requestId, errorCode, errorMessage, externalRef } = change;
  const updated = formatTimestamp(change.updatedAt);
  const data = {
    id,
    network: change.network,
    amount: toNaira(change.kobo),
    recipient: change.recipientGiven,
    status: change.state,
    refunded: change.refunded,
    ...(errorCode !== null && { reason: { code: errorCode, message: errorMessage ?? '' } }),
    ...(externalRef !== null && { external_ref: externalRef }),
    created_datetime: formatTimestamp(change.createdAt),
    updated_datetime: updated,
  };
  const body: AirtimeCallback = { type: `airtime.${change.state}`, timestamp: updated, data };
  return { organisationId, resourceId: id, requestId, url, body };
}
