import type { Dto, FieldError } from '@gangan/protocol';
import { validateSync } from 'class-validator';
import { chooseFailure } from './error-types.js';
import { nestedFields } from './nested.js';
import { pickDeclared } from './pick-declared.js';
import { withHint } from './typo-hint.js';

/** Who is told of so many knows what is wrong with the rest. */
const mostErrors = 100;

export type Validated<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly errors: readonly FieldError[] };

/** Holds plain JSON against a DTO class: either the DTO, or every invalid field at once (the first hundred of them). */
export function validate<T extends object>(dto: Dto<T>, plain: object): Validated<T> {
  const errors: FieldError[] = [];
  const value = build(dto, plain, '', errors);
  return errors.length === 0 ? { ok: true, value } : { ok: false, errors };
}

function build<T extends object>(dto: Dto<T>, plain: object, path: string, errors: FieldError[]): T {
  const value = pickDeclared(dto, plain);
  const failed = new Set<string>();
  for (const { property, constraints = {} } of validateSync(value, { forbidUnknownValues: false })) {
    if (errors.length === mostErrors) return value;
    failed.add(property);
    errors.push(withHint({ field: path + property, ...chooseFailure(constraints) }, dto, property, plain));
  }
  const fields = value as Record<string, unknown>;
  for (const [field, type] of nestedFields(dto)) {
    const nested = fields[field];
    if (nested === undefined || failed.has(field)) continue;
    fields[field] = Array.isArray(nested)
      ? nested.map((item: unknown, index) => buildItem(type, item, `${path}${field}.${index}`, errors))
      : buildItem(type, nested, path + field, errors);
  }
  return value;
}

function buildItem(dto: Dto<object>, item: unknown, path: string, errors: FieldError[]): unknown {
  if (errors.length === mostErrors) return item;
  if (typeof item === 'object' && item !== null && !Array.isArray(item)) {
    return build(dto, item, `${path}.`, errors);
  }
  errors.push({ field: path, message: `${path} must be an object`, type: 'object_type' });
  return item;
}
