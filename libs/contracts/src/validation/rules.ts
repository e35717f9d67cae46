import type { Dto } from '@gangan/protocol';
import { getMetadataStorage, ValidationTypes } from 'class-validator';

export type Rule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

const cache = new WeakMap<Dto<object>, ReadonlyMap<string, readonly Rule[]>>();

/** The class-validator rules of a DTO class by field. Inherited fields come first, then the order of declaration. */
export function rulesByField(dto: Dto<object>): ReadonlyMap<string, readonly Rule[]> {
  const known = cache.get(dto);
  if (known) return known;
  const rules = new Map<string, Rule[]>();
  const all = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  for (const rule of all.toSorted(inheritedFirst)) {
    rules.set(rule.propertyName, [...(rules.get(rule.propertyName) ?? []), rule]);
  }
  cache.set(dto, rules);
  return rules;
}

const inheritedFirst = (one: Rule, other: Rule): number =>
  Number(extendsClass(one, other)) - Number(extendsClass(other, one));

const extendsClass = ({ target: derived }: Rule, { target: base }: Rule): boolean =>
  typeof derived === 'function' && typeof base === 'function' && derived.prototype instanceof base;

/** `@IsOptional` and `@ValidateIf`: the field may be absent. */
export const isCondition = ({ type }: Rule): boolean => type === ValidationTypes.CONDITIONAL_VALIDATION;

export const fieldsOf = (dto: Dto<object>): readonly string[] => [...rulesByField(dto).keys()];

/** The maximum length of texts without a limit of their own: ids, choices, phone numbers. */
const defaultMaxLength = 4_096;

export const maxLengthOf = (dto: Dto<object>, field: string): number =>
  (rulesByField(dto)
    .get(field)
    ?.find(({ name }) => name === 'maxLength')?.constraints[0] as number | undefined) ?? defaultMaxLength;

/** Takes only declared fields from plain JSON: keys such as `__proto__` have no effect. `null` means absent. */
export function pickDeclared<T extends object>(dto: Dto<T>, plain: object): T {
  const given = plain as Readonly<Record<string, unknown>>;
  const present = fieldsOf(dto).filter((field) => Object.hasOwn(given, field) && given[field] !== null);
  return Object.assign(new dto(), Object.fromEntries(present.map((field) => [field, given[field]])));
}

const decimal = /^-?\d{1,15}(?:\.\d{1,15})?$/;
const numericRules = new Set(['isInt', 'isNumber']);

/** A query contains only text. Converts decimal text to a number where the DTO declares a number. */
export function parseQueryNumbers(dto: Dto<object>, query: object): object {
  const rules = rulesByField(dto);
  const isNumeric = (field: string): boolean =>
    rules.get(field)?.some(({ name }) => name !== undefined && numericRules.has(name)) ?? false;
  return Object.fromEntries(
    Object.entries(query).map(([field, value]: [string, unknown]) => [
      field,
      typeof value === 'string' && isNumeric(field) && decimal.test(value) ? Number(value) : value,
    ]),
  );
}
