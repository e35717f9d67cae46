import type { Dto } from '@gangan/protocol';
import { FieldRegistry } from '../validation/fields/field-registry.js';
import type { JsonSchema } from '../validation/json-schema.js';

export const exampleId = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';
export const exampleTime = '2026-11-15T09:30:00.123000+00:00';

const fields = new FieldRegistry<JsonSchema>();

export interface FieldOptions {
  /** Clients should no longer use it. */
  readonly deprecated?: boolean;
}

/** The description and an example of a field in the OpenAPI document. A field that holds another DTO needs no example. */
export const ApiField =
  (text: string, example?: unknown, options: FieldOptions = {}): PropertyDecorator =>
  (target, property) => {
    fields.declare(target, property, {
      description: text,
      ...(example !== undefined && { examples: [example] }),
      ...options,
    });
  };

export const findDescription = (dto: Dto<object>, field: string): JsonSchema | undefined =>
  fields.of(dto).find(([name]) => name === field)?.[1];

export interface SchemaOptions {
  /** Rules between fields. They are only documented here; the handler of the request checks them. */
  readonly rules?: JsonSchema;
  /** Complete bodies by name, for a class whose fields exclude one another. */
  readonly examples?: Readonly<Record<string, object>>;
}

const schemas = new WeakMap<object, SchemaOptions>();

/** Adds rules between fields and complete examples to the OpenAPI schema of a class. */
export const ApiSchema =
  (options: SchemaOptions): ClassDecorator =>
  (dto) => {
    schemas.set(dto, options);
  };

export const getSchemaOptions = (dto: Dto<object>): SchemaOptions => schemas.get(dto) ?? {};
