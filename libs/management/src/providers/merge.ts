export type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Objects are merged; all other values are replaced. `null` removes one. */
export function merge(base: unknown, changes: object): JsonObject {
  const merged = new Map(Object.entries(isJsonObject(base) ? base : {}));
  for (const [name, change] of Object.entries(changes)) {
    if (change === null) merged.delete(name);
    else merged.set(name, isJsonObject(change) ? merge(merged.get(name), change) : change);
  }
  return Object.fromEntries(merged);
}

/** Every value that is not an object, by its dotted path, as JSON. */
export function flatten(value: unknown, path = ''): Map<string, string> {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0)
    return new Map([[path, JSON.stringify(value)]]);
  return new Map(
    Object.entries(value).flatMap(([name, part]) => [
      ...flatten(part, path === '' ? name : `${path}.${name}`),
    ]),
  );
}
