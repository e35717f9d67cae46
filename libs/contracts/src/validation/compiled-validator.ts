import type { Dto } from '@gangan/protocol';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import type { ContractSettings } from '../settings.js';
import { itemRules, nestedFields } from './fields/nested.js';
import { isCondition, maxLengthOf, type Rule, rulesByField } from './rules.js';
import { settingsRules } from './fields/settings-rules.js';

/** Returns the DTO, or `undefined` if a rule fails. */
type Build = (plain: object, settings: ContractSettings) => object | undefined;
type Fields = Record<string, unknown>;
type Condition = (dto: object, value: unknown) => boolean;
type Check = (value: unknown, dto: object) => boolean;

const compiled = new WeakMap<Dto<object>, Build>();

/**
 * Validates like `validate`, without finding errors: returns the DTO, or `undefined` if anything is wrong. It calls the
 * rules of class-validator directly. Which rules a field has is read once per class, and no error objects are made.
 */
export function buildIfValid<T extends object>(
  dto: Dto<T>,
  plain: object,
  settings: ContractSettings,
): T | undefined {
  let build = compiled.get(dto);
  if (!build) {
    build = compile(dto);
    compiled.set(dto, build);
  }
  return build(plain, settings) as T | undefined;
}

function compile(dto: Dto<object>): Build {
  const rules = rulesByField(dto);
  if (![...rules.values()].flat().every(isCompilable)) return () => undefined;
  const fields = [...rules].map(([name, own]) => ({
    name,
    // A character takes at most two units, so a longer text is too long.
    maxUnits: 2 * maxLengthOf(dto, name),
    conditions: own.filter(isCondition).map(({ constraints: [condition] }) => condition as Condition),
    checks: own.filter((rule) => !isCondition(rule)).flatMap(checksOf),
  }));
  const [ofSettings, nested] = [settingsRules.of(dto), nestedFields.of(dto)];
  const ofItems = itemRules.of(dto).filter(([, { onlyWithOtherErrors }]) => !onlyWithOtherErrors);
  return (plain, settings) => {
    const given = plain as Readonly<Fields>;
    const built = new dto() as Fields;
    for (const { name, maxUnits } of fields) {
      const value = Object.hasOwn(given, name) ? given[name] : null;
      if (value === null) continue;
      if (typeof value === 'string' && value.length > maxUnits) return undefined;
      built[name] = value;
    }
    for (const { name, conditions, checks } of fields) {
      const value = built[name];
      if (!conditions.every((applies) => applies(built, value))) continue;
      if (!checks.every((passes) => passes(value, built))) return undefined;
    }
    for (const [name, { validate }] of ofSettings) {
      const value = built[name];
      if (value !== undefined && validate(value, settings, built) !== undefined) return undefined;
    }
    for (const [name, type] of nested) {
      const value = built[name];
      if (value === undefined) continue;
      const inner = Array.isArray(value)
        ? buildAll(type, value, settings)
        : buildObject(type, value, settings);
      if (!inner) return undefined;
      built[name] = inner;
    }
    for (const [name, { find }] of ofItems) {
      const value = built[name];
      if (value !== undefined && find(value, settings).length > 0) return undefined;
    }
    return built;
  };
}

/** Whether this validator knows the kind of a rule. Other kinds are left to class-validator. */
const isCompilable = (rule: Rule): boolean =>
  isCondition(rule) ||
  (rule.type === ValidationTypes.CUSTOM_VALIDATION &&
    !rule.validateIf &&
    constraintsOf(rule).every(({ async }) => !async));

const constraintsOf = ({ constraintCls }: Rule) =>
  getMetadataStorage().getTargetValidatorConstraints(constraintCls);

const checksOf = (rule: Rule): Check[] =>
  constraintsOf(rule).map(({ instance }) => {
    const { propertyName: property, constraints, each } = rule;
    return (value, object) => {
      const args = { targetName: object.constructor.name, property, object, value, constraints };
      return each && Array.isArray(value)
        ? value.every((item) => instance.validate(item, args) as boolean)
        : (instance.validate(value, args) as boolean);
    };
  });

function buildObject(dto: Dto<object>, value: unknown, settings: ContractSettings): object | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return buildIfValid(dto, value, settings);
}

function buildAll(
  dto: Dto<object>,
  values: readonly unknown[],
  settings: ContractSettings,
): object[] | undefined {
  const built: object[] = [];
  for (const value of values) {
    const inner = buildObject(dto, value, settings);
    if (!inner) return undefined;
    built.push(inner);
  }
  return built;
}
