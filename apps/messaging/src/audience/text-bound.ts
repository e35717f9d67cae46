import {
  type CellAlphabet,
  maxTextLength,
  measureText,
  type TextSize,
  type SmartlistColumn,
} from '@gangan/contracts';
import type { FieldError } from '@gangan/protocol';
import type { MessageTexts } from '../text/message-text.js';
import type { Draft } from '../messages/draft.js';
import { faultOf, measureOf, mostPages } from '../messages/pricing.js';
import type { Substitutions } from '../text/rendering.js';
import { namesIn } from './column-names.js';

export interface Bound {
  /** Of a text that is as long as any that will be sent. */
  readonly paging: TextSize;
  readonly fault?: FieldError;
}

/** What takes as much room as any character of its alphabet. */
const fullest: Readonly<Record<CellAlphabet, string>> = { single: 'x', double: '[', wide: 'ọ', astral: '😀' };

const shortestLink = 'http://a'.length;

/** A link of the text that goes on into a cell. It may end at once there, and the rest of the cell is not replaced with it. */
const openLink = /https?:\/\/\S*\{\{/i;
const linkEnd = 'x ';

/** How many pages the texts have at most, as far as their cells tell. */
export function boundOf(
  draft: Pick<Draft, 'body' | 'channel' | 'source'>,
  columns: readonly SmartlistColumn[],
  trackable: boolean,
  texts: MessageTexts,
): Bound {
  const measured = (substitutions: Substitutions) => measureOf(draft, substitutions, trackable, texts);
  // The short address that a link becomes may be longer than the link.
  const room = trackable ? Math.max(0, texts.linkLength - shortestLink) : 0;
  const start = trackable && openLink.test(draft.body.content) ? linkEnd : '';
  const fillings = Object.fromEntries(columns.map((column) => [column.name, start + filling(column, room)]));
  const longest = measured(fillings);
  if (longest.fault === undefined) return { paging: longest.paging };
  const shortest = measured(Object.fromEntries(namesIn(draft.body).map((name) => [name, ''])));
  // Who has too long a text is left out, unless everybody has.
  const everybodys = shortest.fault !== undefined && isEmpty(shortest.fault) === isEmpty(longest.fault);
  const paging = measureText(texts.filled(draft.body, fillings, []).text.slice(0, maxTextLength));
  return {
    paging: { ...paging, pages: draft.channel === 'whatsapp' ? 1 : mostPages },
    ...(everybodys && { fault: faultOf(draft.source, longest.fault) }),
  };
}

const filling = ({ longest, alphabet, links }: SmartlistColumn, room: number): string =>
  fullest[alphabet].repeat(Math.min(longest, maxTextLength)) +
  fullest.single.repeat(Math.min(links * room, maxTextLength));

const isEmpty = (fault: string): boolean => fault.startsWith('has nothing');
