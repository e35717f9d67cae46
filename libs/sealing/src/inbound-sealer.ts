import { TextSealer } from './text-sealer.js';

/**
 * Seals requests of providers until a worker has verified them, with the key of what the gateway sends to messaging: only
 * these two have it. The gateway is public and does not have `DATA_KEYS`.
 */
export class InboundSealer {
  private readonly sealer: TextSealer;

  /** @param keys the first seals, all of them open */
  constructor(keys: readonly string[]) {
    this.sealer = new TextSealer(keys, { variable: 'QUEUE_KEYS', use: 'gangan-inbound' });
  }

  /** @param id of the row */
  seal(text: string, id: string): Buffer {
    return this.sealer.seal(text, `inbound_request.sealed_content ${id}`);
  }

  /** @throws if it cannot be opened */
  open(sealed: Uint8Array, id: string): string {
    return this.sealer.open(sealed, `inbound_request.sealed_content ${id}`);
  }

  /** Whether it was sealed with a key that this process has. */
  canOpen(sealed: Uint8Array): boolean {
    return this.sealer.canOpen(sealed);
  }
}
