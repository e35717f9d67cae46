import type { Dto } from '@gangan/protocol';
import { IsArray, IsObject } from 'class-validator';

const declared = new WeakMap<object, Map<string, Dto<object>>>();

/** The nested fields of a DTO class, inherited ones too, and the classes of what is in them. */
export function nestedFields(dto: Dto<object>): [field: string, type: Dto<object>][] {
  const fields: [string, Dto<object>][] = [];
  for (let target: unknown = dto.prototype; target; target = Object.getPrototypeOf(target)) {
    fields.push(...(declared.get(target) ?? []));
  }
  return fields;
}

const declare =
  (type: Dto<object>, rule: PropertyDecorator): PropertyDecorator =>
  (target, property) => {
    const fields = declared.get(target) ?? new Map<string, Dto<object>>();
    declared.set(target, fields.set(String(property), type));
    rule(target, property);
  };

/** An object of another DTO class. */
export const Nested = (type: Dto<object>): PropertyDecorator => declare(type, IsObject());

/** A list of objects of another DTO class. */
export const NestedList = (type: Dto<object>): PropertyDecorator => declare(type, IsArray());
