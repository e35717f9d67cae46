import type { Dto, FieldError } from '@gangan/protocol';
import { nestedFields } from './fields/nested.js';
import { isCondition, type Rule, rulesByField } from './rules.js';
import { findClosest } from './typo-hint.js';

/** Further names are not compared with declared ones, so that a request with many unknown names costs little. */
const maxNamesCompared = 50;

type Fields = Readonly<Record<string, unknown>>;

/** The names of a request that its DTO does not declare. */
export interface UnknownFields {
  /** Names that are similar to an absent field. A typo must not cost money, or export all contacts. */
  readonly errors: readonly FieldError[];
  /** All others. */
  readonly ignored: readonly string[];
}

/** @param reported errors of the same request: a missing field that names the unknown one is reported once */
export function findUnknownFields(
  dto: Dto<object>,
  plain: object,
  reported: readonly FieldError[] = [],
): UnknownFields {
  const search = new UnknownFieldSearch(reported);
  search.visit(dto, plain, '');
  return search;
}

class UnknownFieldSearch implements UnknownFields {
  readonly errors: FieldError[] = [];
  readonly ignored: string[] = [];
  private readonly missing: ReadonlySet<string>;
  private compared = 0;

  constructor(reported: readonly FieldError[]) {
    this.missing = new Set(reported.filter(({ type }) => type === 'missing').map(({ field }) => field));
  }

  visit(dto: Dto<object>, plain: object, path: string): void {
    const given = plain as Fields;
    const declared = rulesByField(dto);
    for (const name of Object.keys(given)) if (!declared.has(name)) this.add(dto, name, given, path);
    for (const [field, type] of nestedFields.of(dto)) {
      const value = Object.hasOwn(given, field) ? given[field] : undefined;
      if (Array.isArray(value))
        for (const [index, item] of value.entries())
          this.visitIfObject(type, item, `${path}${field}.${index}.`);
      else this.visitIfObject(type, value, `${path}${field}.`);
    }
  }

  private visitIfObject(dto: Dto<object>, value: unknown, path: string): void {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) this.visit(dto, value, path);
  }

  private add(dto: Dto<object>, name: string, given: Fields, path: string): void {
    const meant = this.closestAbsent(dto, name, given);
    const field = path + name;
    if (meant === undefined) this.ignored.push(field);
    else if (!this.missing.has(path + meant))
      this.errors.push({
        field,
        message: `${field} is not a field of this request; did you mean ${meant}?`,
        type: 'unknown_field',
      });
  }

  private closestAbsent(dto: Dto<object>, name: string, given: Fields): string | undefined {
    if (this.compared === maxNamesCompared) return undefined;
    this.compared += 1;
    const isAbsent = (field: string): boolean => !Object.hasOwn(given, field) || given[field] === null;
    const candidates = [...rulesByField(dto)].filter(
      ([field, rules]) => isAbsent(field) && !isReplaced(rules, given),
    );
    return findClosest(
      name,
      candidates.map(([field]) => field),
    );
  }
}

/** Another field is given instead, such as `template_id` instead of `content`. */
const isReplaced = (rules: readonly Rule[], given: Fields): boolean =>
  rules.some((rule) => isCondition(rule) && rule.name !== 'isOptional' && !appliesTo(rule, given));

const appliesTo = ({ constraints: [condition] }: Rule, given: Fields): boolean =>
  (condition as (given: Fields) => boolean)(given);
