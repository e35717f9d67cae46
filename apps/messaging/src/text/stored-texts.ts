import { columnsOf, type RowOf, t } from '@gangan/database';
import { DataSealer, type SealedColumn } from '@gangan/sealing';
import { Injectable } from '@nestjs/common';
import { MessagingConfig } from '../messaging.config.js';
import { contentShape, type MessageContent, type Personalisation } from './message-text.js';
import type { Substitutions } from './rendering.js';

interface Owned {
  readonly id: string;
  readonly organisationId: string;
}

type Sealable = Pick<MessageContent, 'content' | 'personalisation'>;

/** The text of a message as it is stored: plain, or sealed in one column. */
export const storedTextShape = {
  content: t.nullable(t.text),
  personalisation: contentShape.personalisation,
  sealedText: t.nullable(t.bytes),
};

/** The columns of a query on `message` that `contentShape` and `storedTextShape` need. */
export const contentColumns = columnsOf({ ...contentShape, ...storedTextShape });

type StoredText = RowOf<{ readonly shape: typeof storedTextShape }>;

/** A row whose text is readable. */
export type Opened<T extends StoredText> = Omit<T, keyof StoredText> & Sealable;

/** Seals the texts of messages if `SEAL_MESSAGES` is set, and opens those that are sealed. */
@Injectable()
export class StoredTexts {
  constructor(
    private readonly sealer: DataSealer,
    private readonly config: MessagingConfig,
  ) {}

  /** Whether new texts are sealed. */
  get seals(): boolean {
    return this.config.SEAL_MESSAGES;
  }

  sealMessage<T extends Owned & Sealable>(message: T): Omit<T, keyof Sealable> & StoredText {
    if (!this.seals) return { sealedText: null, ...message };
    const { content, personalisation } = message;
    const sealedText = this.seal('message.sealed_text', message, JSON.stringify([content, personalisation]));
    return { ...message, content: null, personalisation: null, sealedText };
  }

  openMessage<T extends StoredText>(row: T, { id, organisationId }: Owned): Opened<T> {
    const { sealedText, content, personalisation, ...rest } = row;
    if (sealedText === null) return { ...rest, content: content ?? '', personalisation };
    const text = this.sealer.open(sealedText, { column: 'message.sealed_text', organisationId, id });
    const [opened, values] = JSON.parse(text) as [string, readonly Personalisation[] | null];
    return { ...rest, content: opened, personalisation: values };
  }

  sealIncoming<T extends Owned & { readonly text: string | null }>(
    message: T,
  ): T & { readonly sealedText: Buffer | null } {
    const { text } = message;
    if (!this.seals || text === null) return { ...message, sealedText: null };
    return {
      ...message,
      text: null,
      sealedText: this.seal('incoming_message.sealed_text', message, text),
    };
  }

  openIncoming({
    text,
    sealedText,
    ...owned
  }: Owned & { readonly text: string | null; readonly sealedText: Uint8Array | null }): string | null {
    if (sealedText === null) return text;
    const { id, organisationId } = owned;
    return this.sealer.open(sealedText, { column: 'incoming_message.sealed_text', organisationId, id });
  }

  /** Seals the body of a callback that has the text of a message; undefined if texts are not sealed. */
  get sealCallback(): ((callback: Owned, body: string) => Buffer) | undefined {
    return this.seals ? (callback, body) => this.seal('callback.sealed_body', callback, body) : undefined;
  }

  /** The columns of a delivery with the values of its recipient. */
  sealSubstitutions(
    delivery: Owned,
    substitutions: Substitutions | null,
  ): { readonly substitutions: string | null; readonly sealedBody: Buffer | null } {
    const text = substitutions && JSON.stringify(substitutions);
    if (!this.seals || text === null) return { substitutions: text, sealedBody: null };
    return { substitutions: null, sealedBody: this.seal('delivery.sealed_body', delivery, text) };
  }

  openSubstitutions({ id, organisationId }: Owned, sealedBody: Uint8Array): Substitutions {
    const text = this.sealer.open(sealedBody, { column: 'delivery.sealed_body', organisationId, id });
    return JSON.parse(text) as Substitutions;
  }

  sealUrl(
    organisationId: string,
    { code, url }: { readonly code: string; readonly url: string },
  ): { readonly url: string | null; readonly sealedUrl: Buffer | null } {
    if (!this.seals) return { url, sealedUrl: null };
    return { url: null, sealedUrl: this.seal('tracked_link.sealed_url', { id: code, organisationId }, url) };
  }

  openUrl(code: string, organisationId: string, sealedUrl: Buffer): string {
    return this.sealer.open(sealedUrl, { column: 'tracked_link.sealed_url', organisationId, id: code });
  }

  private seal(column: SealedColumn, { id, organisationId }: Owned, text: string): Buffer {
    return this.sealer.seal(text, { column, organisationId, id });
  }
}
