import type { Dto } from '@gangan/protocol';
import { getMetadataStorage } from 'class-validator';

const declaredFields = new WeakMap<Dto<object>, readonly string[]>();

/**
 * Makes the DTO from plain JSON, taking only what the class declares: unknown fields are never carried on,
 * and keys such as `__proto__` or `hasOwnProperty` reach nothing. `null` means absent.
 */
export function pickDeclared<T extends object>(dto: Dto<T>, plain: object): T {
  const given = plain as Readonly<Record<string, unknown>>;
  const present = fieldsOf(dto).filter((field) => Object.hasOwn(given, field) && given[field] !== null);
  return Object.assign(new dto(), Object.fromEntries(present.map((field) => [field, given[field]])));
}

export function fieldsOf(dto: Dto<object>): readonly string[] {
  let fields = declaredFields.get(dto);
  if (!fields) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
    fields = [...new Set(rules.map((rule) => rule.propertyName))];
    declaredFields.set(dto, fields);
  }
  return fields;
}
