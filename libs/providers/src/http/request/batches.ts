import type { RequestSettings } from './request-settings.js';
import { pointerParts, valueAt } from '../json-values.js';
import { encodingOf, findNames, mapValues, type MessageValues, messagePlaceholders } from './placeholders.js';

/** The list element in the JSON that is repeated for each message. */
export const itemOf = ({ json, batch }: RequestSettings): unknown =>
  batch?.items === undefined ? undefined : valueAt(json, `${batch.items}/0`);

/** The placeholders that have one value for all messages of a request. */
export function findSharedNames(request: RequestSettings): string[] {
  const { batch, json } = request;
  const outside = batch?.items === undefined ? json : replaceItems(json, batch.items, () => []);
  const names = findNames({ ...request, json: outside });
  return batch?.separator === undefined ? names : names.filter((name) => !name.startsWith('recipient'));
}

/**
 * Groups messages into requests, by their index. The messages of a request have the same values outside the repeated part,
 * and different recipients, unless results have our references: each result must belong to one message.
 */
export function groupMessages(
  request: RequestSettings,
  messages: readonly MessageValues[],
  hasReferences = false,
): number[][] {
  const { batch } = request;
  if (!batch) return messages.map((_, index) => [index]);
  const shared = new Set(findSharedNames(request));
  const names = messagePlaceholders.filter((name) => shared.has(name));
  const open = new Map<string, { readonly group: number[]; readonly recipients: Set<string> }>();
  const groups: number[][] = [];
  for (const [index, message] of messages.entries()) {
    const values = names.map((name) => message[name]);
    const key = JSON.stringify([...values, shared.has('encoding') && encodingOf(message)]);
    const found = open.get(key);
    if (
      found &&
      found.group.length < batch.size &&
      (hasReferences || !found.recipients.has(message.recipient))
    ) {
      found.group.push(index);
      found.recipients.add(message.recipient);
    } else {
      const group = [index];
      open.set(key, { group, recipients: new Set([message.recipient]) });
      groups.push(group);
    }
  }
  return groups;
}

/** Replaces the list at a pointer by what the function makes of its first element. */
export function replaceItems(
  template: unknown,
  pointer: string,
  replace: (item: unknown) => readonly unknown[],
  others: (value: unknown) => unknown = (value) => value,
): unknown {
  const walk = (value: unknown, [next, ...rest]: readonly string[]): unknown => {
    if (next === undefined) return replace(Array.isArray(value) ? value[0] : undefined);
    return mapValues(value, (part, name) => (name === next ? walk(part, rest) : others(part)));
  };
  return walk(template, pointerParts(pointer));
}
