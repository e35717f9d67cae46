import type { NewCallback } from '@gangan/callbacks';
import { type PurchaseCallbackData, formatTimestamp } from '@gangan/contracts';
import { newId } from '@gangan/protocol';

/** A callback for an event that happened just now. */
export function newReport(url: string, organisationId: string): NewCallback {
  const id = newId();
  const at = formatTimestamp(new Date());
  const data: PurchaseCallbackData = {
    id,
    network: 'MTN',
    amount: 100,
    recipient: '08031234567',
    status: 'success',
    refunded: false,
    created_datetime: at,
    updated_datetime: at,
  };
  const body = { type: 'airtime.success', timestamp: at, data } as const;
  return { organisationId, resourceId: id, requestId: id, url, hasEndpoints: false, body };
}
