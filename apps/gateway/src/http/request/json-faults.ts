import type { FieldError } from '@gangan/protocol';
import { truncate } from '../errors/http.errors.js';

const maxFaults = 100;
/** The response repeats each name twice. Without this bound it could be far larger than the request. */
const maxNameLength = 200;
/** Postgres cannot store U+0000, and a lone surrogate is not a character. */
const isUsable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
/** No field has these names; they are used in attacks on prototypes. */
const forbiddenNames = new Set(['__proto__', 'constructor']);

const faultsByRequest = new WeakMap<object, readonly FieldError[]>();

/** Records faults of the body. They are reported with all other invalid fields, by `validateInputs`. */
export const rememberFaults = (request: object, faults: readonly FieldError[]): void =>
  void faultsByRequest.set(request, faults);

export const faultsOf = (request: object): readonly FieldError[] => faultsByRequest.get(request) ?? [];

/** Finds what no field of a body or query may contain: text that cannot be stored, forbidden names. */
export function jsonFaults(value: unknown): FieldError[] {
  const faults: FieldError[] = [];
  inspect(value, [], faults);
  return faults;
}

/** @param path the names that lead to the value; changed during the call */
function inspect(value: unknown, path: string[], faults: FieldError[]): void {
  if (typeof value === 'string' && !isUsable(value)) {
    faults.push(fault(path, 'contains U+0000 or half of a surrogate pair'));
  }
  if (typeof value !== 'object' || value === null) return;
  for (const name of Object.keys(value)) {
    if (faults.length >= maxFaults) return;
    path.push(name);
    if (forbiddenNames.has(name) || !isUsable(name)) faults.push(fault(path, 'is not an allowed name'));
    else inspect((value as Readonly<Record<string, unknown>>)[name], path, faults);
    path.pop();
  }
}

const fault = (path: readonly string[], problem: string): FieldError => {
  const field = truncate(path.map((name) => truncate(name, maxNameLength)).join('.'), maxNameLength);
  return { field, message: `${field} ${problem}`, type: 'value_error' };
};
