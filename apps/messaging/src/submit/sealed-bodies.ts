import { type DataSealer, TextSealer } from '@gangan/sealing';
import type { ClaimedDelivery } from './claims.repository.js';

/** Opens what is sealed in the row of a delivery. */
export class SealedBodies {
  /** Version 0.2 sealed with `QUEUE_KEY`. Such texts exist for minutes after the upgrade. */
  private readonly earlier: TextSealer | undefined;

  constructor(
    private readonly sealer: DataSealer,
    earlierKeys: readonly string[] = [],
  ) {
    this.earlier =
      earlierKeys.length > 0
        ? new TextSealer(earlierKeys, { variable: 'QUEUE_KEY', use: 'gangan-text' })
        : undefined;
  }

  /** @throws if it cannot be opened */
  open({
    id,
    organisationId,
    sealedBody,
  }: Pick<ClaimedDelivery, 'id' | 'organisationId' | 'sealedBody'>): string {
    const sealed = sealedBody ?? Buffer.alloc(0);
    const earlier = this.earlier?.openableIds.some((key) => key.equals(sealed.subarray(0, key.length)))
      ? this.earlier
      : undefined;
    return earlier
      ? earlier.open(sealed, id)
      : this.sealer.open(sealed, { column: 'delivery.sealed_body', organisationId, id });
  }
}
