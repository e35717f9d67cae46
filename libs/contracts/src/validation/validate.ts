import type { Dto, FieldError } from '@gangan/protocol';
import { validateSync } from 'class-validator';
import { type ContractSettings, defaultSettings } from '../settings.js';
import { buildIfValid } from './compiled-validator.js';
import { chooseFailures } from './constraints.js';
import { itemRules, nestedFields } from './fields/nested.js';
import { fieldsOf, maxLengthOf, pickDeclared } from './rules.js';
import { settingsRules } from './fields/settings-rules.js';
import { NameSearch } from './name-search.js';

const maxErrors = 100;

export type Validated<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

/** Validates plain JSON against a DTO class. Returns the DTO, or all invalid fields (at most 100). */
export function validate<T extends object>(
  dto: Dto<T>,
  plain: object,
  settings: ContractSettings = defaultSettings,
  names = new NameSearch(),
): Validated<T> {
  const value = buildIfValid(dto, plain, settings);
  return value ? { ok: true, value } : findErrors(dto, plain, settings, names);
}

/** Validates with class-validator, which finds every error but needs ten times as long. */
export function findErrors<T extends object>(
  dto: Dto<T>,
  plain: object,
  settings: ContractSettings,
  names = new NameSearch(),
): Validated<T> {
  const validation = new Validation(settings, names);
  const value = validation.build(dto, plain, '');
  const errors = validation.finish();
  return errors.length === 0 ? { ok: true, value } : { ok: false, errors };
}

class Validation {
  private readonly errors: FieldError[] = [];
  /** Checks that run only if there are other errors. */
  private readonly deferred: (() => void)[] = [];

  constructor(
    private readonly settings: ContractSettings,
    private readonly names: NameSearch,
  ) {}

  build<T extends object>(dto: Dto<T>, plain: object, path: string): T {
    const value = pickDeclared(dto, plain);
    const failures = this.failuresOf(dto, value);
    for (const [field, constraints] of failures) {
      if (this.isFull) return value;
      for (const failure of chooseFailures(constraints))
        this.report(this.withTypoHint({ field: path + field, ...failure }, dto, field, plain));
    }
    const fields = value as Record<string, unknown>;
    const isUsable = (field: string): boolean => fields[field] !== undefined && !failures.has(field);
    for (const [field, type] of nestedFields.of(dto)) {
      if (!isUsable(field)) continue;
      const nested = fields[field];
      fields[field] = Array.isArray(nested)
        ? nested.map((item: unknown, index) => this.buildItem(type, item, `${path}${field}.${index}`))
        : this.buildItem(type, nested, path + field);
    }
    for (const [field, { find, onlyWithOtherErrors }] of itemRules.of(dto)) {
      if (!isUsable(field)) continue;
      const check = (): void => {
        for (const { at, ...error } of find(fields[field], this.settings))
          this.report({ field: `${path}${field}.${at}`, ...error });
      };
      if (onlyWithOtherErrors) this.deferred.push(check);
      else check();
    }
    return value;
  }

  finish(): readonly FieldError[] {
    if (this.errors.length > 0) for (const check of this.deferred) check();
    return this.errors;
  }

  private get isFull(): boolean {
    return this.errors.length >= maxErrors;
  }

  private report(error: FieldError): void {
    if (!this.isFull) this.errors.push(error);
  }

  private buildItem(dto: Dto<object>, item: unknown, path: string): unknown {
    if (this.isFull) return item;
    if (typeof item === 'object' && item !== null && !Array.isArray(item)) {
      return this.build(dto, item, `${path}.`);
    }
    this.report({ field: path, message: `${path} must be an object`, type: 'object_type' });
    return item;
  }

  /** Unknown fields are ignored. If one is similar to a missing field, the error names it: it may be a typo. */
  private withTypoHint(error: FieldError, dto: Dto<object>, property: string, plain: object): FieldError {
    if (error.type !== 'missing' || Object.hasOwn(plain, property) || this.names.isOver) return error;
    const declared = fieldsOf(dto);
    const unknown = Object.keys(plain).filter((name) => !declared.includes(name));
    const given = this.names.closest(property, unknown);
    if (given === undefined) return error;
    return { ...error, message: `${error.message} (${given} is not a field of this request)` };
  }

  /** The failed constraints by field, in the order of the fields. */
  private failuresOf(dto: Dto<object>, value: object): Map<string, Record<string, string>> {
    const failures = new Map<string, Record<string, string>>();
    const fail = (field: string, constraints: Record<string, string>): void => {
      failures.set(field, { ...failures.get(field), ...constraints });
    };
    const shortened = shortenLongTexts(dto, value);
    for (const { property, constraints = {} } of validateSync(value, { forbidUnknownValues: false })) {
      fail(property, constraints);
    }
    for (const [field, rule] of settingsRules.of(dto)) {
      const given = (value as Record<string, unknown>)[field];
      const message = given === undefined ? undefined : rule.validate(given, this.settings, value);
      if (message !== undefined) fail(field, { [rule.name]: `${field} ${message}` });
    }
    for (const [field, max] of shortened) {
      if (failures.has(field)) continue;
      fail(field, { maxLength: `${field} must be shorter than or equal to ${max} characters` });
    }
    const fields = fieldsOf(dto);
    return new Map([...failures].sort(([one], [other]) => fields.indexOf(one) - fields.indexOf(other)));
  }
}

/**
 * Shortens texts that are far too long, so that rules, which may use patterns, see only texts of bounded length. What is
 * left is still too long: a character takes at most two units. Returns the limits of the shortened fields.
 */
function shortenLongTexts(dto: Dto<object>, value: object): [field: string, maxLength: number][] {
  const fields = value as Record<string, unknown>;
  return fieldsOf(dto).flatMap((field) => {
    const text = fields[field];
    const max = maxLengthOf(dto, field);
    if (typeof text !== 'string' || text.length <= 2 * max) return [];
    fields[field] = text.slice(0, 2 * max + 1);
    return [[field, max]];
  });
}
