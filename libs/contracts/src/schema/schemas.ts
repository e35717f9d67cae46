import type { Dto, ReplyShape } from '@gangan/protocol';
import { ValidationTypes } from 'class-validator';
import { nestedFields } from '../validation/nested.js';
import { type Rule, rulesByField } from '../validation/rules.js';
import { schemaOfConstraint } from './constraint-schemas.js';
import { getSchemaOptions } from './describe-whole.js';
import { descriptionOf } from './describe.js';
import type { JsonSchema } from './json-schema.js';

const place = '#/components/schemas/';

/** The schemas of DTO classes, read from their validation. Each class is one component, named like the class. */
export class Schemas {
  private readonly classes = new Map<string, Dto<object>>();
  private readonly schemas = new Map<string, JsonSchema>();

  /** A reference to a class, or a list of references to it. */
  of(shape: ReplyShape): JsonSchema {
    return typeof shape === 'function' ? this.refer(shape) : { type: 'array', items: this.refer(shape[0]) };
  }

  /** The class itself, without becoming a component: for fields that stand in a query. */
  inline(dto: Dto<object>): JsonSchema {
    const rules = rulesByField(dto);
    const nested = new Map(nestedFields(dto));
    const properties = [...rules].map(([field, own]) => [
      field,
      this.field(dto, field, own, nested.get(field)),
    ]);
    const required = [...rules].filter(([, own]) => !own.some(isCondition)).map(([field]) => field);
    return {
      type: 'object',
      properties: Object.fromEntries(properties) as Record<string, JsonSchema>,
      ...(required.length > 0 && { required }),
      ...getSchemaOptions(dto).rules,
    };
  }

  /** Everything that was referred to so far, by name. */
  get components(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.schemas].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  private refer(dto: Dto<object>): JsonSchema {
    const known = this.classes.get(dto.name);
    if (known && known !== dto) throw new Error(`Two DTO classes are called ${dto.name}: rename one`);
    if (!known) {
      this.classes.set(dto.name, dto);
      this.schemas.set(dto.name, this.inline(dto));
    }
    return { $ref: place + dto.name };
  }

  private field(dto: Dto<object>, field: string, rules: readonly Rule[], type?: Dto<object>): JsonSchema {
    const whole = rules.filter((rule) => !isCondition(rule) && !rule.each);
    const items = [
      ...rules.filter(({ each }) => each).map((rule) => translated(dto, rule)),
      ...(type && whole.some(({ name }) => name === 'isArray') ? [this.refer(type)] : []),
    ];
    const description = descriptionOf(dto, field);
    const single = type && items.length === 0;
    return {
      ...(single ? this.refer(type) : merged(whole.map((rule) => translated(dto, rule)))),
      ...(items.length > 0 && { items: merged(items) }),
      ...(description && { description: description.text }),
      ...(description && 'example' in description && { examples: [description.example] }),
    };
  }
}

/** `@IsOptional` and `@ValidateIf`: the field may be absent. */
const isCondition = ({ type }: Rule): boolean => type === ValidationTypes.CONDITIONAL_VALIDATION;

function translated(dto: Dto<object>, { name = '', propertyName, constraints }: Rule): JsonSchema {
  const schema = schemaOfConstraint(name, (constraints as readonly unknown[] | undefined) ?? []);
  if (schema) return schema;
  throw new Error(
    `${dto.name}.${propertyName} has the constraint "${name}", which says nothing in JSON Schema yet: add it to constraint-schemas.ts`,
  );
}

/** Decorators run from the last to the first; what two of them say about one keyword both holds. */
function merged(schemas: readonly JsonSchema[]): JsonSchema {
  const all: JsonSchema[] = [];
  let sum: JsonSchema = {};
  for (const schema of schemas.toReversed()) {
    const taken = (keyword: string): boolean =>
      keyword in sum && sum[keyword as keyof JsonSchema] !== schema[keyword as keyof JsonSchema];
    if (Object.keys(schema).some(taken)) all.push(schema);
    else sum = { ...sum, ...schema };
  }
  return withoutIdleWords(all.length > 0 ? { ...sum, allOf: all } : sum);
}

/** That a value is not blank says nothing about one that is no text. */
function withoutIdleWords({ pattern, ...schema }: JsonSchema): JsonSchema {
  return pattern !== undefined && schema.type === 'string' ? { ...schema, pattern } : schema;
}
