import type { Dto, ReplyShape } from '@gangan/protocol';
import { translateConstraint } from '../validation/constraints.js';
import type { JsonSchema } from '../validation/json-schema.js';
import { nestedFields } from '../validation/fields/nested.js';
import { isCondition, type Rule, rulesByField } from '../validation/rules.js';
import { type ContractSettings, defaultSettings } from '../settings.js';
import { resolveConstraints } from '../validation/fields/settings-rules.js';
import { findDescription, getSchemaOptions } from './api-field.js';

const componentsPath = '#/components/schemas/';

/** Makes OpenAPI components from the validation rules of DTO classes. A component has the name of its class. */
export class Schemas {
  private readonly classes = new Map<string, Dto<object>>();
  private readonly schemas = new Map<string, JsonSchema>();

  constructor(private readonly settings: ContractSettings = defaultSettings) {}

  /** A reference to a class, or a list of references to it. */
  of(shape: ReplyShape): JsonSchema {
    return typeof shape === 'function' ? this.refer(shape) : { type: 'array', items: this.refer(shape[0]) };
  }

  /** The schema of a class without a component: for query parameters. */
  inline(dto: Dto<object>): JsonSchema {
    const rules = rulesByField(dto);
    const nested = new Map(nestedFields.of(dto));
    const properties = [...rules].map(([field, own]) => [
      field,
      this.field(dto, field, own, nested.get(field)),
    ]);
    const { rules: rulesBetween } = getSchemaOptions(dto);
    const required = [...rules].filter(([, own]) => !own.some(isCondition)).map(([field]) => field);
    return {
      type: 'object',
      properties: Object.fromEntries(properties) as Record<string, JsonSchema>,
      ...(required.length > 0 && { required }),
      ...(rulesBetween && separateRules(rulesBetween)),
    };
  }

  /** All components referenced so far, by name. */
  get components(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.schemas].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  private refer(dto: Dto<object>): JsonSchema {
    const known = this.classes.get(dto.name);
    if (known && known !== dto) throw new Error(`Two DTO classes have the name ${dto.name}: rename one`);
    if (!known) {
      this.classes.set(dto.name, dto);
      this.schemas.set(dto.name, this.inline(dto));
    }
    return { $ref: componentsPath + dto.name };
  }

  private field(dto: Dto<object>, field: string, rules: readonly Rule[], type?: Dto<object>): JsonSchema {
    const whole = rules.filter((rule) => !isCondition(rule) && !rule.each);
    const items = [
      ...rules.filter(({ each }) => each).map((rule) => this.translate(dto, rule)),
      ...(type && whole.some(({ name }) => name === 'isArray') ? [this.refer(type)] : []),
    ];
    const single = type && items.length === 0;
    return {
      ...(single ? this.refer(type) : mergeSchemas(whole.map((rule) => this.translate(dto, rule)))),
      ...(items.length > 0 && { items: mergeSchemas(items) }),
      ...findDescription(dto, field),
    };
  }

  private translate(dto: Dto<object>, { name = '', propertyName, constraints }: Rule): JsonSchema {
    const schema = translateConstraint(name, resolveConstraints(constraints, this.settings));
    if (schema) return schema;
    throw new Error(
      `${dto.name}.${propertyName} has the constraint "${name}", which has no translation to JSON Schema: add it to constraints.ts`,
    );
  }
}

/** Alternatives go to `allOf`: generators of types would otherwise let them replace the fields. */
function separateRules({ anyOf, oneOf, allOf = [], ...rules }: JsonSchema): JsonSchema {
  const alternatives = [
    ...allOf,
    ...(anyOf ? [{ anyOf: anyOf.map(declareRequired) }] : []),
    ...(oneOf ? [{ oneOf: oneOf.map(declareRequired) }] : []),
  ];
  return { ...rules, ...(alternatives.length > 0 && { allOf: alternatives }) };
}

/** A field that is only required, and not a property of the same schema, is unknown to generators of types. */
const declareRequired = ({ required = [], properties, ...rules }: JsonSchema): JsonSchema => ({
  ...rules,
  ...(required.length > 0 && { required }),
  properties: { ...Object.fromEntries(required.map((name) => [name, {}])), ...properties },
});

/** Decorators run from last to first. If two rules set the same keyword, both apply: the second goes to `allOf`. */
function mergeSchemas(schemas: readonly JsonSchema[]): JsonSchema {
  const all: JsonSchema[] = [];
  let sum: JsonSchema = {};
  for (const schema of schemas.toReversed()) {
    const taken = (keyword: string): boolean =>
      keyword in sum && sum[keyword as keyof JsonSchema] !== schema[keyword as keyof JsonSchema];
    if (Object.keys(schema).some(taken)) all.push(schema);
    else sum = { ...sum, ...schema };
  }
  return withoutUselessPattern(all.length > 0 ? { ...sum, allOf: all } : sum);
}

/** A pattern applies only to strings. */
function withoutUselessPattern({ pattern, ...schema }: JsonSchema): JsonSchema {
  return pattern !== undefined && schema.type === 'string' ? { ...schema, pattern } : schema;
}
