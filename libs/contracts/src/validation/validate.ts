import type { Dto, FieldError } from '@gangan/protocol';
import { validateSync, type ValidationError } from 'class-validator';
import { chooseFailure } from './error-types.js';
import { itemRules } from './item-faults.js';
import { nestedFields } from './nested.js';
import { fieldsOf, pickDeclared } from './rules.js';
import { withHint } from './typo-hint.js';

/** Who is told of so many knows what is wrong with the rest. */
const mostErrors = 100;

export type Validated<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly errors: readonly FieldError[] };

/** Holds plain JSON against a DTO class: either the DTO, or every invalid field at once (the first hundred of them). */
export function validate<T extends object>(dto: Dto<T>, plain: object): Validated<T> {
  const errors = new Errors();
  const value = build(dto, plain, '', errors);
  errors.tellTheRest();
  return errors.all.length === 0 ? { ok: true, value } : { ok: false, errors: errors.all };
}

class Errors {
  readonly all: FieldError[] = [];
  private readonly rest: (() => void)[] = [];

  get full(): boolean {
    return this.all.length >= mostErrors;
  }

  push(error: FieldError): void {
    if (!this.full) this.all.push(error);
  }

  /** What is looked for only if something else is wrong. */
  later(find: () => void): void {
    this.rest.push(find);
  }

  tellTheRest(): void {
    if (this.all.length > 0) for (const find of this.rest) find();
  }
}

function build<T extends object>(dto: Dto<T>, plain: object, path: string, errors: Errors): T {
  const value = pickDeclared(dto, plain);
  const failed = new Set<string>();
  for (const { property, constraints = {} } of failuresOf(dto, value)) {
    if (errors.full) return value;
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
  for (const [field, { find, onlyBesideOthers }] of itemRules(dto)) {
    if (fields[field] === undefined || failed.has(field)) continue;
    const tell = (): void => {
      for (const { at, ...fault } of find(fields[field]))
        errors.push({ field: `${path}${field}.${at}`, ...fault });
    };
    if (onlyBesideOthers) errors.later(tell);
    else tell();
  }
  return value;
}

/** In the order of the fields: class-validator lists inherited ones last. */
function failuresOf(dto: Dto<object>, value: object): ValidationError[] {
  const fields = fieldsOf(dto);
  const index = ({ property }: ValidationError): number => fields.indexOf(property);
  return validateSync(value, { forbidUnknownValues: false }).sort((one, other) => index(one) - index(other));
}

function buildItem(dto: Dto<object>, item: unknown, path: string, errors: Errors): unknown {
  if (errors.full) return item;
  if (typeof item === 'object' && item !== null && !Array.isArray(item)) {
    return build(dto, item, `${path}.`, errors);
  }
  errors.push({ field: path, message: `${path} must be an object`, type: 'object_type' });
  return item;
}
