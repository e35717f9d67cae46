import { randomBytes } from 'node:crypto';
import { parseUrl } from '@gangan/protocol';

/** 128 random bits, so that a code cannot be guessed. */
export const newLinkCode = (): string => randomBytes(16).toString('base64url');

/** A scheme at the start of a word, up to white space, a quotation mark or an angle bracket. */
const link = /(?<![A-Za-z0-9+.-])https?:\/\/[^\s\p{Cc}<>"“”„«»]+/giu;

/** Characters after a link that end a sentence or close a bracket or quotation. */
const punctuation = new Set(".,;:!?'’…。，！？；：）)]}");
const openers: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

interface FoundLink {
  readonly url: string;
  readonly start: number;
}

/** The links of a text, in their order, duplicates included. */
export const linksIn = (text: string): string[] => findLinks(text).map(({ url }) => url);

/** Replaces each link by the URL at its position; links without one stay. */
export function withLinks(text: string, urls: readonly string[]): string {
  let result = '';
  let end = 0;
  for (const [index, { url, start }] of findLinks(text).entries()) {
    result += text.slice(end, start) + (urls[index] ?? url);
    end = start + url.length;
  }
  return result + text.slice(end);
}

const findLinks = (text: string): FoundLink[] =>
  [...text.matchAll(link)]
    .map((match) => ({ url: withoutPunctuation(match[0]), start: match.index }))
    .filter(({ url }) => parseUrl(url));

/** `(https://example.com/a_(b)).` keeps the closing bracket of its own opening one. */
function withoutPunctuation(url: string): string {
  const counts = new Map<string, number>();
  for (const character of url) counts.set(character, (counts.get(character) ?? 0) + 1);
  const countOf = (character: string): number => counts.get(character) ?? 0;
  let end = url.length;
  for (; end > 0; end -= 1) {
    const last = url.charAt(end - 1);
    const opener = openers[last];
    const opened = opener !== undefined && countOf(opener) >= countOf(last);
    if (!punctuation.has(last) || opened) break;
    counts.set(last, countOf(last) - 1);
  }
  return url.slice(0, end);
}
