import { parsePhone } from '@gangan/contracts';

/** How many digits at the end of a number differ; they do not decide whether it is accepted. */
const varied = 4;

/** The beginnings of numbers of every calling code that are accepted although a trunk zero follows the code. */
const prefixes = Array.from({ length: 999 }, (_, index) => index + 1).flatMap((code) =>
  [3, 4, 5, 6, 7]
    .map((length) => `+${code}0${'2'.repeat(length - 1)}`)
    .filter((prefix) => parsePhone(prefix + '0'.repeat(varied))?.callingCode === String(code)),
);

/** Different numbers of all calling codes, which take the most work: they are possible, but not valid. */
export const hostileNumbers = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => {
    const prefix = prefixes[index % prefixes.length] ?? '';
    return prefix + String(Math.floor(index / prefixes.length)).padStart(varied, '0');
  });

/** The notations of an international number, and the texts that are parsed to read it. */
export const spellings = {
  'with +': { spelt: (number: string) => number, texts: 1 },
  'with 00': { spelt: (number: string) => `00${number.slice(1)}`, texts: 1 },
  // First as a number of the region, then with a calling code.
  'with neither': { spelt: (number: string) => number.slice(1), texts: 2 },
};
