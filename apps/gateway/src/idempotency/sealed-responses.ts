import { TextSealer } from '@gangan/sealing';
import type { ClaimScope } from './idempotency-key.js';

/**
 * Seals stored responses with `SEAL_MESSAGES`: they contain the texts of messages. The key is in `QUEUE_KEYS`, and only the
 * gateway has it; so the gateway, which is public, does not need `DATA_KEYS`.
 */
export class SealedResponses {
  private readonly sealer: TextSealer;

  /** @param seals whether new responses are sealed */
  constructor(
    keys: readonly string[],
    readonly seals: boolean,
  ) {
    this.sealer = new TextSealer(keys, { variable: 'QUEUE_KEYS', use: 'gangan-responses' });
  }

  seal(body: Buffer, scope: ClaimScope): Buffer {
    return this.sealer.seal(body.toString('base64'), boundTo(scope));
  }

  open(sealed: Buffer, scope: ClaimScope): Buffer {
    return Buffer.from(this.sealer.open(sealed, boundTo(scope)), 'base64');
  }
}

const boundTo = ({ organisationId, method, path, key }: ClaimScope): string =>
  ['idempotency_claim.answer_body', organisationId, method, path, key].join(' ');
