import type { Dto, FieldError } from '@gangan/protocol';
import { nestedFields } from './fields/nested.js';
import { otherNames } from './fields/other-names.js';
import { maxSimilarLength, NameSearch } from './name-search.js';
import { isCondition, type Rule, rulesByField } from './rules.js';

type Fields = Readonly<Record<string, unknown>>;
type OtherNames = ReturnType<typeof otherNames.of>;

/** The names of a request that its DTO does not declare. */
export interface UnknownFields {
  /** Names that are similar to an absent field, or its name in other APIs. A typo must not cost money, or export all contacts. */
  readonly errors: readonly FieldError[];
  /** All other unknown names. */
  readonly ignored: readonly string[];
}

/** @param reported errors of the same request: a missing field that names the unknown one is reported once */
export function findUnknownFields(
  dto: Dto<object>,
  plain: object,
  reported: readonly FieldError[] = [],
  names = new NameSearch(),
): UnknownFields {
  const search = new UnknownFieldSearch(reported, names);
  search.visit(dto, plain, '');
  return search;
}

class UnknownFieldSearch implements UnknownFields {
  readonly errors: FieldError[] = [];
  readonly ignored: string[] = [];
  private readonly missing: ReadonlySet<string>;

  constructor(
    reported: readonly FieldError[],
    private readonly names: NameSearch,
  ) {
    this.missing = new Set(reported.filter(({ type }) => type === 'missing').map(({ field }) => field));
  }

  visit(dto: Dto<object>, plain: object, path: string): void {
    const given = plain as Fields;
    const declared = rulesByField(dto);
    const unknown = Object.keys(given).filter((name) => !declared.has(name));
    if (unknown.length > 0) {
      const others = otherNames.of(dto);
      const absent = this.names.isOver && others.length === 0 ? [] : absentFields(dto, given);
      const maxLength = maxSimilarLength([...absent, ...others.map(([, other]) => other)]);
      for (const name of unknown)
        if (name.length > maxLength) this.ignored.push(path + name);
        else this.add(name, absent, others, path);
    }
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

  private add(name: string, absent: readonly string[], others: OtherNames, path: string): void {
    const other = others.find(([, otherName]) => otherName === name.toLowerCase())?.[0];
    const isOther = other !== undefined && absent.includes(other);
    const meant = isOther ? other : this.names.closest(name, absent);
    const field = path + name;
    if (meant === undefined) this.ignored.push(field);
    else if (isOther || !this.missing.has(path + meant)) this.reject(field, meant);
  }

  private reject(field: string, meant: string): void {
    const message = `${field} is not a field of this request; did you mean ${meant}?`;
    this.errors.push({ field, message, type: 'unknown_field' });
  }
}

/** The fields that are not given, and not replaced by another one. */
function absentFields(dto: Dto<object>, given: Fields): string[] {
  const isAbsent = (field: string): boolean => !Object.hasOwn(given, field) || given[field] === null;
  return [...rulesByField(dto)]
    .filter(([field, rules]) => isAbsent(field) && !isReplaced(rules, given))
    .map(([field]) => field);
}

/** Another field is given instead, such as `template_id` instead of `content`. */
const isReplaced = (rules: readonly Rule[], given: Fields): boolean =>
  rules.some((rule) => isCondition(rule) && rule.name !== 'isOptional' && !appliesTo(rule, given));

const appliesTo = ({ constraints: [condition] }: Rule, given: Fields): boolean =>
  (condition as (given: Fields) => boolean)(given);
