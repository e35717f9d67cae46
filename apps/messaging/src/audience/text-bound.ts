import {
  type CellAlphabet,
  type Channel,
  maxTextLength,
  measureText,
  type SmartlistColumn,
  type TextSize,
} from '@gangan/contracts';
import type { FieldError } from '@gangan/protocol';
import { isEmptyFault, maxPages, measureMessage, textFault } from '../text/measure-message.js';
import type { MessageContent, MessageTexts } from '../text/message-text.js';
import { placeholdersOf, type Substitutions } from '../text/rendering.js';

/** The columns that a text is filled from. */
export const columnNames = ({ content, templateVariables }: MessageContent): string[] => [
  ...new Set([...placeholdersOf(content), ...templateVariables]),
];

/** The text of a message to a smartlist, and the field that it comes from. */
export interface SmartlistDraft {
  readonly channel: Channel;
  readonly body: MessageContent;
  readonly source: string;
}

export interface TextBound {
  /** The size of a text at least as long as any that will be sent. */
  readonly size: TextSize;
  readonly fault?: FieldError;
}

/** A character that takes as much space as any of its alphabet. */
const widest: Readonly<Record<CellAlphabet, string>> = { single: 'x', double: '[', wide: 'ọ', astral: '😀' };

const shortestLink = 'http://a'.length;

/** A link whose end comes from a cell. At worst it ends after one character, and the rest of the cell stays text. */
const openLink = /https?:\/\/\S*\{\{/i;
const linkEnd = 'x ';

/** The maximum size of the texts, as far as the statistics of the columns show. */
export function boundText(
  { body, channel, source }: SmartlistDraft,
  columns: readonly SmartlistColumn[],
  trackable: boolean,
  texts: MessageTexts,
): TextBound {
  const measure = (substitutions: Substitutions) =>
    measureMessage({ body, channel }, substitutions, trackable, texts);
  // A tracked link can be longer than the link that it replaces.
  const extra = trackable ? Math.max(0, texts.linkLength - shortestLink) : 0;
  const start = trackable && openLink.test(body.content) ? linkEnd : '';
  const values = Object.fromEntries(
    columns.map((column) => [column.name, start + longestValue(column, extra)]),
  );
  const longest = measure(values);
  if (longest.fault === undefined) return { size: longest.size };
  const shortest = measure(Object.fromEntries(columnNames(body).map((name) => [name, ''])));
  // Recipients whose text is too long are left out; it is an error only if all texts have the fault.
  const concernsAll =
    shortest.fault !== undefined && isEmptyFault(shortest.fault) === isEmptyFault(longest.fault);
  const size = measureText(texts.fill(body, values, []).text.slice(0, maxTextLength));
  return {
    size: { ...size, pages: channel === 'whatsapp' ? 1 : maxPages },
    ...(concernsAll && { fault: textFault(source, longest.fault) }),
  };
}

const longestValue = ({ longest, alphabet, links }: SmartlistColumn, extra: number): string =>
  widest[alphabet].repeat(Math.min(longest, maxTextLength)) +
  widest.single.repeat(Math.min(links * extra, maxTextLength));
