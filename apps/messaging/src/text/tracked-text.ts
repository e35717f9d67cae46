/** A scheme at the start of a word, and all that is no white space, quotation mark or angle bracket. */
const link = /(?<![A-Za-z0-9+.-])https?:\/\/[^\s\p{Cc}<>"“”„«»]+/giu;

/** What, behind a link, ends a sentence or closes a bracket or quotation around it. */
const punctuation = new Set(".,;:!?'’…。，！？；：）)]}");
const openers: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

interface Found {
  readonly url: string;
  readonly start: number;
}

/** The web addresses of a text, in their order; the same one twice is there twice. */
export const linksIn = (text: string): string[] => found(text).map(({ url }) => url);

/** The text with its links replaced, each by the address in its place; without one, a link stays. */
export function withLinks(text: string, urls: readonly string[]): string {
  let result = '';
  let end = 0;
  for (const [place, { url, start }] of found(text).entries()) {
    result += text.slice(end, start) + (urls[place] ?? url);
    end = start + url.length;
  }
  return result + text.slice(end);
}

const found = (text: string): Found[] =>
  [...text.matchAll(link)]
    .map((match) => ({ url: withoutPunctuation(match[0]), start: match.index }))
    .filter(({ url }) => URL.canParse(url));

/** `(https://example.com/a_(b)).` keeps the bracket that it opened itself. */
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
