import type { Dto } from '@gangan/protocol';
import type { JsonSchema } from './json-schema.js';

export interface SchemaOptions {
  /** What the fields ask of one another. Whoever reads the request enforces it; here it is only told. */
  readonly rules?: JsonSchema;
  /** Whole bodies by what they show: for a class whose fields cannot all stand in one. */
  readonly examples?: Readonly<Record<string, object>>;
}

const described = new WeakMap<object, SchemaOptions>();

/** What no field can say by itself: for the people, and the programs, that read the interface's description. */
export const ApiSchema =
  (whole: SchemaOptions): ClassDecorator =>
  (dto) => {
    described.set(dto, whole);
  };

export const getSchemaOptions = (dto: Dto<object>): SchemaOptions => described.get(dto) ?? {};
