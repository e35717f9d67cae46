import type { PriceTable } from '@gangan/billing';
import { type Channel, hasVisibleText, maxTextLength, measureText, type TextSize } from '@gangan/contracts';
import { fieldError, type FieldError } from '@gangan/protocol';
import type { MessageContent, MessageTexts } from './message-text.js';
import { renderedLength, type Substitutions } from './rendering.js';
import { newLinkCode } from './tracked-text.js';

export const maxPages = 10;

export interface Measure {
  readonly size: TextSize;
  readonly urls: readonly string[];
  readonly fault: string | undefined;
}

export interface PricedDelivery {
  readonly id: string;
  readonly recipient: string;
  readonly recipientGiven: string;
  readonly pages: number;
  readonly kobo: bigint;
  readonly links: readonly { readonly code: string; readonly url: string }[];
}

/** What a message costs, and what is wrong with it. */
export interface Price {
  readonly deliveries: readonly PricedDelivery[];
  /** The size of the longest text. */
  readonly size: TextSize;
  readonly kobo: bigint;
  readonly faults: readonly FieldError[];
  /** The smartlist, as the contacts worker opened it: its deliveries are made later. */
  readonly list?: string;
  /** The number of contacts in the smartlist. */
  readonly listRows?: number;
  readonly listPrices?: PriceTable;
}

/** All codes have the same length and no character that counts double, so one stands for any. */
const anyCode = newLinkCode();

const tooLong = `is longer than ${maxTextLength} characters`;

/** Measures a text as it will be sent, with its links replaced if it is trackable. */
export function measureMessage(
  { body, channel }: { readonly body: MessageContent; readonly channel: Channel },
  substitutions: Substitutions,
  trackable: boolean,
  texts: MessageTexts,
): Measure {
  // A text that is far too long is not even rendered.
  if (renderedLength(body.content, substitutions) > 2 * maxTextLength)
    return { size: measureText(''), urls: [], fault: tooLong };
  const urls = trackable ? texts.linksFor(body, substitutions) : [];
  const codes = urls.map(() => anyCode);
  const { text } = texts.fill(body, substitutions, codes);
  const measured = measureText(text);
  const size = channel === 'whatsapp' ? { ...measured, pages: 1 } : measured;
  return { size, urls, fault: findFault(text, size) };
}

function findFault(text: string, { pages }: TextSize): string | undefined {
  if (!hasVisibleText(text)) return 'has no visible character';
  if (Array.from(text).length > maxTextLength) return tooLong;
  return pages > maxPages ? `has ${pages} pages; at most ${maxPages} can be sent` : undefined;
}

export const isEmptyFault = (fault: string): boolean => fault.startsWith('has no visible');

export const textFault = (field: string, fault: string): FieldError =>
  fieldError(field, `${field}: the text ${fault}`, isEmptyFault(fault) ? 'missing' : 'string_too_long');
