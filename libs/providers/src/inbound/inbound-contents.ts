import type { ReceiveInbound } from '@gangan/contracts';
import { nilUuid } from '@gangan/protocol';
import type { DataSealer, InboundSealer } from '@gangan/sealing';

/** What a provider sent, as it is stored. */
export interface InboundContent {
  readonly query: string;
  readonly body: string;
  /** UTF-8 if absent. */
  readonly encoding?: 'latin1';
  /** Our reference of the message whose `{report_url}` was called. */
  readonly reference?: string;
}

/** Opens and seals the content of requests. Once a worker has verified it, it is sealed with `DATA_KEYS`. */
export class InboundContents {
  constructor(
    private readonly sealer: DataSealer,
    /** Opens what gateways stored: unverified requests, and those of version 0.2 that no worker has read. */
    private readonly received?: InboundSealer,
  ) {}

  seal(content: InboundContent, id: string): Buffer {
    return this.sealer.seal(JSON.stringify(content), placeOf(id));
  }

  /** @throws if it cannot be opened */
  open(sealed: Uint8Array, id: string): InboundContent {
    const text = this.received?.canOpen(sealed)
      ? this.received.open(sealed, id)
      : this.sealer.open(sealed, placeOf(id));
    return JSON.parse(text) as InboundContent;
  }

  /** @returns undefined if it is not a request. @throws if it cannot be opened */
  openUnverified(sealed: Uint8Array, id: string): ReceiveInbound | undefined {
    if (!this.received) throw new Error('Unverified requests cannot be opened here');
    const request = JSON.parse(this.received.open(sealed, id)) as UnknownRequest | null;
    return isRequest(request) ? request : undefined;
  }
}

const placeOf = (id: string) =>
  ({ column: 'inbound_request.sealed_content', organisationId: nilUuid, id }) as const;

type UnknownRequest = Partial<Record<keyof ReceiveInbound, unknown>>;

function isRequest(value: UnknownRequest | null): value is ReceiveInbound {
  const { method, url, body, headers, content_type: type = '', encoding = 'latin1' } = value ?? {};
  const areTexts = [method, url, body, type].every((text) => typeof text === 'string');
  return areTexts && typeof headers === 'object' && headers !== null && isEncoding(encoding);
}

const isEncoding = (value: unknown): boolean => value === 'latin1' || value === 'gzip';
