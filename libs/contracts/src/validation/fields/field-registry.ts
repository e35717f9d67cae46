import type { Dto } from '@gangan/protocol';

/** What decorators declare about the fields of DTO classes. */
export class FieldRegistry<T> {
  private readonly entries = new WeakMap<object, [field: string, value: T][]>();

  declare(prototype: object, field: string | symbol, value: T): void {
    this.entries.set(prototype, [...(this.entries.get(prototype) ?? []), [String(field), value]]);
  }

  /** The declarations of a class, then those that it inherits. */
  of(dto: Dto<object>): [field: string, value: T][] {
    const found: [string, T][] = [];
    for (let target: unknown = dto.prototype; target; target = Object.getPrototypeOf(target)) {
      found.push(...(this.entries.get(target) ?? []));
    }
    return found;
  }
}
