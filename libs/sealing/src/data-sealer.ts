import { TextSealer } from './text-sealer.js';

/** The columns that hold sealed texts. */
export type SealedColumn =
  | 'callback.sealed_body'
  | 'callback_endpoint_secret.sealed_secret'
  | 'callback_secret.sealed_secret'
  | 'delivery.sealed_body'
  | 'inbound_request.sealed_content'
  | 'incoming_message.sealed_text'
  | 'message.sealed_text'
  | 'otp.sealed_token'
  | 'outbox_message.sealed_text'
  | 'provider.sealed_secrets'
  | 'provider.sealed_token'
  | 'tracked_link.sealed_url';

/** Where a sealed text is stored. It opens only there, so that no row can be given the value of another. */
export interface SealedPlace {
  readonly column: SealedColumn;
  readonly organisationId: string;
  /** Of the row. */
  readonly id: string;
}

/** Seals what is stored, with the keys of `DATA_KEY`. */
export class DataSealer {
  private readonly sealer: TextSealer;

  /** @param keys the first seals, all of them open */
  constructor(keys: readonly string[]) {
    this.sealer = new TextSealer(keys, { variable: 'DATA_KEY', use: 'gangan-data' });
  }

  /** What a text that is sealed now begins with; reveals nothing about the key. */
  get sealingId(): Buffer {
    return this.sealer.sealingId;
  }

  /** What a text that can be opened begins with. */
  get openableIds(): Buffer[] {
    return this.sealer.openableIds;
  }

  seal(text: string, place: SealedPlace): Buffer {
    return this.sealer.seal(text, boundTo(place));
  }

  /** @throws if it was altered, belongs to another place, or was sealed with a key that this process does not have */
  open(sealed: Uint8Array, place: SealedPlace): string {
    return this.sealer.open(sealed, boundTo(place));
  }
}

const boundTo = ({ column, organisationId, id }: SealedPlace): string =>
  [column, organisationId, id].join(' ');
