import type { Dto } from '@gangan/protocol';

export interface Description {
  readonly text: string;
  /** Not needed where the field holds another DTO, which has examples of its own. */
  readonly example?: unknown;
}

const described = new WeakMap<object, Map<string, Description>>();

/** What a field means, and how it looks: for the people who read the interface's description. */
export const ApiField =
  (text: string, example?: unknown): PropertyDecorator =>
  (target, property) => {
    const fields = described.get(target) ?? new Map<string, Description>();
    described.set(target, fields.set(String(property), { text, ...(example !== undefined && { example }) }));
  };

export function descriptionOf(dto: Dto<object>, field: string): Description | undefined {
  for (let target: unknown = dto.prototype; target; target = Object.getPrototypeOf(target)) {
    const found = described.get(target)?.get(field);
    if (found) return found;
  }
  return undefined;
}
