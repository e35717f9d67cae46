import { parsePhone } from '@gangan/contracts';

/** As many as a request may have. */
const perRequest = 1_000;

/** A number for each index; the numbers of two requests differ. */
export type NumberAt = (index: number) => string;

const lastDigits = (value: number, count: number): string => String(value % 10 ** count).padStart(count, '0');

/** Mobile numbers of Nigeria, as most requests have them. */
export const plainNumber: NumberAt = (index) => `+234803${lastDigits(index, 7)}`;

/** North America has no trunk zero, so all countries of the code have to be compared. */
export const zeroNumber: NumberAt = (index) => `+10${lastDigits(index, 9)}`;

/** Numbers of every calling code, with a zero after it. */
export const numberOfAnyCode: NumberAt = (index) => {
  prefixes ??= acceptedPrefixes();
  const prefix = prefixes[index % prefixes.length] ?? '';
  return prefix + lastDigits(Math.floor(index / prefixes.length), varied);
};

/** How many digits at the end of a number differ; they do not decide whether it is accepted. */
const varied = 4;
let prefixes: readonly string[] | undefined;

function acceptedPrefixes(): string[] {
  const found: string[] = [];
  for (let code = 1; code <= 999; code += 1)
    for (let length = 3; length <= 7; length += 1) {
      const prefix = `+${code}0${'2'.repeat(length - 1)}`;
      if (parsePhone(prefix + '0'.repeat(varied))?.callingCode === String(code)) found.push(prefix);
    }
  return found;
}

/** The numbers of one request. */
export const numbersOf = (numberAt: NumberAt, request: number, count = perRequest): string[] =>
  Array.from({ length: count }, (_, index) => numberAt(request * count + index));
