import { countSeptets } from './gsm-alphabet.js';

export interface TextSize {
  readonly encoding: 'GSM-7' | 'UCS-2';
  /** The length in characters of the encoding: septets, or units of 16 bits. */
  readonly length: number;
  readonly pages: number;
}

/** The capacity of a single page, and of each of several pages, which have a header of six octets. */
const capacity = {
  'GSM-7': { single: 160, multiple: 153 },
  'UCS-2': { single: 70, multiple: 67 },
} as const;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The pages of a text as carriers count them. One character outside of GSM-7 makes the whole text UCS-2. */
export function measureText(text: string): TextSize {
  const length = sumSeptets(text);
  if (length === undefined) return { encoding: 'UCS-2', length: text.length, pages: ucs2Pages(text) };
  return { encoding: 'GSM-7', length, pages: gsmPages(text, length) };
}

function sumSeptets(text: string): number | undefined {
  let sum = 0;
  for (let index = 0; index < text.length; index += 1) {
    const septets = countSeptets(text.charCodeAt(index));
    if (septets === undefined) return undefined;
    sum += septets;
  }
  return sum;
}

/** An escape and its character are never split. */
function gsmPages(text: string, length: number): number {
  const { single, multiple } = capacity['GSM-7'];
  if (length <= single) return 1;
  let [pages, used] = [1, 0];
  for (let index = 0; index < text.length; index += 1) {
    const septets = countSeptets(text.charCodeAt(index)) ?? 0;
    used += septets;
    if (used > multiple) [pages, used] = [pages + 1, septets];
  }
  return pages;
}

function ucs2Pages(text: string): number {
  const { single, multiple } = capacity['UCS-2'];
  if (text.length <= single) return 1;
  const characters = graphemes.segment(text);
  let pages = 1;
  for (let start = 0; text.length - start > multiple; pages += 1) {
    start = pageEnd(text, characters, start, start + multiple);
  }
  return pages;
}

/** A grapheme (an emoji, a letter with its marks) is not split unless it is longer than a page. */
function pageEnd(text: string, characters: Intl.Segments, start: number, limit: number): number {
  const whole = characters.containing(limit);
  if (whole && whole.segment !== '\r\n' && whole.index > start) return whole.index;
  return isLowSurrogate(text.charCodeAt(limit)) ? limit - 1 : limit;
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
