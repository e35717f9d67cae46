/** What a message asks for: no more promotional messages, promotional messages again, or the help text. */
export type Keyword = 'stop' | 'start' | 'help';

const standardStopWords = ['STOP', 'UNSUBSCRIBE', 'END', 'CANCEL', 'QUIT'];
const startWords = ['START', 'UNSTOP'];
const helpWords = ['HELP'];

const standard: ReadonlyMap<string, Keyword> = new Map([
  ...standardStopWords.map((word) => [word, 'stop'] as const),
  ...startWords.map((word) => [word, 'start'] as const),
  ...helpWords.map((word) => [word, 'help'] as const),
]);

/** The length of a stop word of an organisation in its normal form. */
export const maxStopWordLength = 32;
/** Longer messages are not keywords. */
const maxTextLength = 100;

const letters = /[\p{L}\p{N}]+/gu;

/**
 * The form in which words are compared: without case and accents, and with one space for other characters between
 * letters. "« Arrêter ! »" is ARRETER. Empty without letters and digits.
 */
export const normalizeWord = (text: string): string =>
  (text.normalize('NFKD').replace(/\p{M}/gu, '').toUpperCase().match(letters) ?? []).join(' ');

/** Whether a message is short enough to be a keyword. */
export const mayBeKeyword = (text: string): boolean => {
  const { length } = text.trim();
  return length > 0 && length <= maxTextLength;
};

/** The keyword that a message consists of. @param stopWords of the organisation, in addition to the standard ones */
export function matchKeyword(text: string, stopWords: readonly string[] = []): Keyword | undefined {
  const word = mayBeKeyword(text) ? normalizeWord(text) : '';
  if (word === '') return undefined;
  return standard.get(word) ?? (stopWords.some((own) => normalizeWord(own) === word) ? 'stop' : undefined);
}
