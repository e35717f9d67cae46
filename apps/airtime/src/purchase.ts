import { toNaira } from '@gangan/billing';
import { hasEndpoints, type NewCallback } from '@gangan/callbacks';
import {
  type AirtimeCallback,
  type AirtimePurchase,
  airtimeReason,
  formatTimestamp,
  type Network,
  shownReason,
} from '@gangan/contracts';
import { type AirtimeState, columnsOf, type OrganisationMode, type RowOf, sql, t } from '@gangan/database';

/** The columns of airtime_purchase that the worker uses. */
export const purchaseShape = {
  id: t.uuid,
  organisationId: t.uuid,
  requestId: t.text,
  network: t.textOf<Network>(),
  recipient: t.text,
  recipientGiven: t.text,
  kobo: t.from('amount_kobo', t.bigint),
  balanceBefore: t.from('balance_before_kobo', t.bigint),
  state: t.enumOf<AirtimeState>('airtime_state'),
  refunded: t.bool,
  attempt: t.int,
  provider: t.nullable(t.text),
  resolution: t.nullable(t.enumOf<AirtimeState>('airtime_state')),
  /** The data bundle; `null` for airtime. */
  productId: t.nullable(t.uuid),
  externalRef: t.nullable(t.text),
  callbackUrl: t.nullable(t.text),
  errorCode: t.nullable(t.text),
  errorMessage: t.nullable(t.text),
  createdAt: t.timestamp,
  updatedAt: t.nullable(t.timestamp),
};

export type Purchase = RowOf<{ shape: typeof purchaseShape }>;

/** For statements in which the table is called `purchase`. */
export const purchaseColumns = columnsOf(purchaseShape, 'purchase');

export const claimedShape = {
  ...purchaseShape,
  mode: t.enumOf<OrganisationMode>('organisation_mode'),
  providerReference: t.nullable(t.text),
  /** What the provider got as our reference; `null` if it got the id. */
  requestReference: t.nullable(t.text),
  /** Who sells the data bundle, under which code, and whether it is still listed; `null` for airtime. */
  product: t.nullable(
    t.json<{ readonly provider: string; readonly code: string; readonly active: boolean }>(),
  ),
  /** The time since the submission, or since the creation if it was not submitted. */
  elapsedMs: t.float,
};

/** A purchase that a worker settles. Its changes count only while the row still has the same `attempt`. */
export type ClaimedPurchase = RowOf<{ shape: typeof claimedShape }>;

export const claimedColumns = sql`
  ${purchaseColumns}, purchase.provider_reference AS "providerReference",
  purchase.request_reference AS "requestReference", (SELECT mode FROM organisation WHERE organisation.id = purchase.organisation_id) AS mode,
  (SELECT json_build_object('provider', product.provider, 'code', product.code, 'active', product.active)
    FROM airtime_product AS product WHERE product.id = purchase.product_id) AS product,
  (extract(epoch FROM clock_timestamp() - coalesce(submitted_at, created_at)) * 1000)::float8 AS "elapsedMs"`;

export const referenceOf = ({ id, requestReference }: ClaimedPurchase): string => requestReference ?? id;

export function toResponse(row: Purchase, method: string, resource: string): AirtimePurchase {
  return {
    id: row.id,
    recipient: row.recipientGiven,
    ...(row.externalRef !== null && { external_ref: row.externalRef }),
    ...(row.callbackUrl !== null && { callback: row.callbackUrl }),
    // `submitting` is internal: it only marks that a provider is being called.
    status: row.state === 'submitting' ? 'pending' : row.state,
    created_datetime: formatTimestamp(row.createdAt),
    ...(row.updatedAt !== null && { updated_datetime: formatTimestamp(row.updatedAt) }),
    network: row.network,
    ...(row.productId !== null && { product_id: row.productId }),
    ...formatReason(row),
    meta: {
      method,
      resource,
      charge: {
        amount: toNaira(row.kobo),
        available_balance: toNaira(row.balanceBefore - row.kobo),
        balance_before: toNaira(row.balanceBefore),
        refunded: row.refunded,
      },
    },
  };
}

/** A purchase whose state has just changed. */
export const changedShape = { ...purchaseShape, hasEndpoints: t.bool };

type ChangedPurchase = RowOf<{ shape: typeof changedShape }>;

export const changedColumns = sql`
  ${purchaseColumns}, ${hasEndpoints(sql`purchase.organisation_id`)} AS "hasEndpoints"`;

/** The callbacks for purchases whose state has just changed, of those that have a callback URL or an endpoint. */
export const toCallbacks = (changed: readonly ChangedPurchase[]): NewCallback[] =>
  changed.filter((row) => row.callbackUrl !== null || row.hasEndpoints).map(toCallback);

function toCallback(row: ChangedPurchase): NewCallback {
  const status = row.state as AirtimeCallback['data']['status'];
  const updated = formatTimestamp(row.updatedAt ?? row.createdAt);
  const data = {
    id: row.id,
    network: row.network,
    amount: toNaira(row.kobo),
    ...(row.productId !== null && { product_id: row.productId }),
    recipient: row.recipientGiven,
    status,
    refunded: row.refunded,
    ...formatReason(row),
    ...(row.externalRef !== null && { external_ref: row.externalRef }),
    created_datetime: formatTimestamp(row.createdAt),
    updated_datetime: updated,
  };
  const body: AirtimeCallback = { type: `airtime.${status}`, timestamp: updated, data };
  const { organisationId, requestId, callbackUrl: url, hasEndpoints: toEndpoints } = row;
  return { organisationId, resourceId: row.id, requestId, url, hasEndpoints: toEndpoints, body };
}

const formatReason = ({ errorCode, errorMessage }: Purchase) =>
  shownReason(errorCode, errorMessage, airtimeReason);
