import type { PriceList } from '@gangan/billing';
import { hasVisibleText, maxTextLength, measureText, type TextSize } from '@gangan/contracts';
import type { FieldError } from '@gangan/protocol';
import type { MessageTexts } from '../text/message-text.js';
import { renderedLength, type Substitutions } from '../text/rendering.js';
import type { Draft } from './draft.js';
import { inSlices } from '../text/in-slices.js';
import { newLinkCode } from '../text/link-codes.js';

export const mostPages = 10;

/** What one recipient is sent, and what that costs. */
export interface Share {
  readonly recipient: string;
  readonly recipientGiven: string;
  readonly pages: number;
  readonly kobo: bigint;
  readonly links: readonly { readonly code: string; readonly url: string }[];
}

export interface Estimate {
  readonly shares: readonly Share[];
  /** Of the longest text. */
  readonly paging: TextSize;
  readonly kobo: bigint;
  readonly faults: readonly FieldError[];
  /** What stands for the shares where they are found out later. */
  readonly list?: string;
}

export interface Measure {
  readonly paging: TextSize;
  readonly urls: readonly string[];
  readonly fault: string | undefined;
}

/** Reads every text as it will be sent, with its links replaced if they are to be. */
export async function estimateOf(
  draft: Draft,
  trackable: boolean,
  texts: MessageTexts,
  prices: PriceList,
): Promise<Estimate> {
  const measured = new Map<Substitutions, Measure>();
  const faults = new Map<string, FieldError>();
  let longest: TextSize | undefined;
  const shares = await inSlices(draft.recipients, ({ to, filling }): Share => {
    let measure = measured.get(filling.substitutions);
    if (!measure) {
      measure = measureOf(draft, filling.substitutions, trackable, texts);
      measured.set(filling.substitutions, measure);
      longest = longerOf(longest, measure.paging);
      const field = filling.field ?? draft.source;
      if (measure.fault !== undefined) faults.set(field, faultOf(field, measure.fault));
    }
    const { pages } = measure.paging;
    return {
      recipient: to.recipient,
      recipientGiven: to.recipientGiven,
      pages,
      kobo: BigInt(pages) * prices.priceOf(draft.channel, to.recipient),
      links: measure.urls.map((url) => ({ code: newLinkCode(), url })),
    };
  });
  return {
    shares,
    paging: longest ?? measureText(''),
    kobo: shares.reduce((sum, { kobo }) => sum + kobo, 0n),
    faults: [...draft.faults, ...faults.values()],
  };
}

/** Every code is as long as any other and has no character that counts double: one stands for all. */
const anyCode = newLinkCode();

export function measureOf(
  { body, channel }: Pick<Draft, 'body' | 'channel'>,
  substitutions: Substitutions,
  trackable: boolean,
  texts: MessageTexts,
): Measure {
  // Neither filling nor counting is begun with a text that is far too long.
  if (renderedLength(body.content, substitutions) > farTooLong) return unmeasured;
  const urls = trackable ? texts.linksFor(body, substitutions) : [];
  const { text } = texts.filled(
    body,
    substitutions,
    urls.map(() => anyCode),
  );
  const counted = measureText(text);
  const paging = channel === 'whatsapp' ? { ...counted, pages: 1 } : counted;
  return { paging, urls, fault: textFault(text, paging) };
}

const farTooLong = 2 * maxTextLength;
const tooLong = `is longer than ${maxTextLength} characters`;

const unmeasured: Measure = { paging: measureText(''), urls: [], fault: tooLong };

function textFault(text: string, { pages }: TextSize): string | undefined {
  if (!hasVisibleText(text)) return 'has nothing to read in it';
  if (Array.from(text).length > maxTextLength) return tooLong;
  return pages > mostPages ? `makes ${pages} pages, and at most ${mostPages} can be sent` : undefined;
}

export const faultOf = (field: string, fault: string): FieldError => ({
  field,
  message: `${field}: the text ${fault}`,
  type: fault.startsWith('has nothing') ? 'missing' : 'string_too_long',
});

const longerOf = (one: TextSize | undefined, other: TextSize): TextSize =>
  !one || other.pages > one.pages || (other.pages === one.pages && other.length > one.length) ? other : one;
