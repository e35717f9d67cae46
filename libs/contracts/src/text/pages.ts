import { septetsOf } from './gsm-alphabet.js';

export interface TextSize {
  readonly encoding: 'GSM-7' | 'UCS-2';
  /** In characters of the encoding: septets, or units of 16 bits. */
  readonly length: number;
  readonly pages: number;
}

/** What fits a message of one page, and each page of several, which begins with a header of six octets. */
const room = { 'GSM-7': { alone: 160, together: 153 }, 'UCS-2': { alone: 70, together: 67 } } as const;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** How a carrier cuts a text into pages. Nothing is replaced: one character outside GSM-7 makes all of it UCS-2. */
export function measureText(text: string): TextSize {
  const length = septetsIn(text);
  if (length === undefined) return { encoding: 'UCS-2', length: text.length, pages: widePages(text) };
  return { encoding: 'GSM-7', length, pages: gsmPages(text, length) };
}

function septetsIn(text: string): number | undefined {
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) {
    const septets = septetsOf(text.charCodeAt(at));
    if (septets === undefined) return undefined;
    sum += septets;
  }
  return sum;
}

/** An escape and its character stay on one page. */
function gsmPages(text: string, length: number): number {
  const { alone, together } = room['GSM-7'];
  if (length <= alone) return 1;
  let [pages, used] = [1, 0];
  for (let at = 0; at < text.length; at += 1) {
    const septets = septetsOf(text.charCodeAt(at)) ?? 0;
    used += septets;
    if (used > together) [pages, used] = [pages + 1, septets];
  }
  return pages;
}

function widePages(text: string): number {
  const { alone, together } = room['UCS-2'];
  if (text.length <= alone) return 1;
  const characters = graphemes.segment(text);
  let pages = 1;
  for (let start = 0; text.length - start > together; pages += 1) {
    start = pageEnd(text, characters, start, start + together);
  }
  return pages;
}

/** What a person sees as one character, an emoji or a letter with its marks, is not torn unless it fills a page. */
function pageEnd(text: string, characters: Intl.Segments, start: number, border: number): number {
  const whole = characters.containing(border);
  if (whole && whole.segment !== '\r\n' && whole.index > start) return whole.index;
  return isLowSurrogate(text.charCodeAt(border)) ? border - 1 : border;
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
