import { type DataSealer, TextSealer } from '@gangan/sealing';
import type { ClaimedDelivery } from './claims.repository.js';

/** Opens what is sealed in the row of a delivery. */
export class SealedBodies {
  /** Version 0.2 sealed with `QUEUE_KEY`. Such texts exist for minutes while apps of both versions run. */
  private readonly earlier: TextSealer;

  constructor(
    private readonly sealer: DataSealer,
    queueKeys: readonly string[],
  ) {
    this.earlier = new TextSealer(queueKeys, { variable: 'QUEUE_KEY', use: 'gangan-text' });
  }

  /** @throws if it cannot be opened */
  open({
    id,
    organisationId,
    sealedBody,
  }: Pick<ClaimedDelivery, 'id' | 'organisationId' | 'sealedBody'>): string {
    const sealed = sealedBody ?? Buffer.alloc(0);
    const isEarlier = this.earlier.openableIds.some((key) => key.equals(sealed.subarray(0, key.length)));
    return isEarlier
      ? this.earlier.open(sealed, id)
      : this.sealer.open(sealed, { column: 'delivery.sealed_body', organisationId, id });
  }
}
