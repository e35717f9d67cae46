import type { Dto } from '@gangan/protocol';
import type { JsonSchema } from './json-schema.js';

export interface WholeDescription {
  /** What the fields ask of one another. Whoever reads the request enforces it; here it is only told. */
  readonly rules?: JsonSchema;
  /** Whole bodies by what they show: for a class whose fields cannot all stand in one. */
  readonly examples?: Readonly<Record<string, object>>;
}

const described = new WeakMap<object, WholeDescription>();

/** What no field can say by itself: for the people, and the programs, that read the interface's description. */
export const DescribeWhole =
  (whole: WholeDescription): ClassDecorator =>
  (dto) => {
    described.set(dto, whole);
  };

export const wholeOf = (dto: Dto<object>): WholeDescription => described.get(dto) ?? {};
