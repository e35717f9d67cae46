import type { Dto } from '@gangan/protocol';
import { getMetadataStorage } from 'class-validator';

const decimal = /^-?\d{1,15}(?:\.\d{1,15})?$/;
const numeric = new Set(['isInt', 'isNumber']);
const numericFieldsOf = new WeakMap<Dto<object>, ReadonlySet<string>>();

/** A query holds nothing but text: where the DTO declares a number and the text is one, it becomes that number. */
export function parseQueryNumbers(dto: Dto<object>, query: object): object {
  const numbers = numericFields(dto);
  return Object.fromEntries(
    Object.entries(query).map(([field, value]: [string, unknown]) => [
      field,
      numbers.has(field) && typeof value === 'string' && decimal.test(value) ? Number(value) : value,
    ]),
  );
}

function numericFields(dto: Dto<object>): ReadonlySet<string> {
  let fields = numericFieldsOf.get(dto);
  if (!fields) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
    const ofNumbers = rules.filter(({ name }) => name !== undefined && numeric.has(name));
    fields = new Set(ofNumbers.map(({ propertyName }) => propertyName));
    numericFieldsOf.set(dto, fields);
  }
  return fields;
}
