import type { FieldError } from '@gangan/protocol';
import { shortened } from './shortened.js';

const deepest = 20;
const mostFaults = 100;
/** Names are the caller's own, and each is written twice: without a bound an answer would outgrow its request by far. */
const longestName = 200;
/** Postgres stores no U+0000, and half a character is none. */
const unusable = /[\0\p{Surrogate}]/u;
/** No field is called so; who sends them is trying something. */
const forbiddenNames = new Set(['__proto__', 'constructor']);

/** What is wrong with parsed JSON (or a query) whatever it means: text that nothing can hold, names that are traps, depth. */
export function jsonFaults(value: unknown): FieldError[] {
  const faults: FieldError[] = [];
  inspect(value, [], faults);
  return faults;
}

function inspect(value: unknown, path: readonly string[], faults: FieldError[]): void {
  if (typeof value === 'string' && unusable.test(value)) {
    faults.push(fault(path, 'contains U+0000 or half of a surrogate pair'));
  }
  if (typeof value !== 'object' || value === null) return;
  if (path.length === deepest) {
    faults.push(fault(path, `is nested deeper than ${deepest} levels`));
    return;
  }
  for (const [name, inner] of Object.entries(value)) {
    if (faults.length >= mostFaults) return;
    if (forbiddenNames.has(name) || unusable.test(name))
      faults.push(fault([...path, name], 'is not a usable name'));
    else inspect(inner, [...path, name], faults);
  }
}

const fault = (path: readonly string[], problem: string): FieldError => {
  const field = shortened(path.map((name) => shortened(name, longestName)).join('.'), longestName);
  return { field, message: `${field} ${problem}`, type: 'value_error' };
};
