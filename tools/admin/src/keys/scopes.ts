import { type KeyScope, keyScopes } from '@gangan/protocol';
import { InvalidArgumentError } from 'commander';

/** Parses `lookup:read,sms`; a domain alone means all its scopes. */
export function scopes(text: string): KeyScope[] {
  const wanted = new Set(text.split(',').flatMap((part) => expand(part.trim())));
  return keyScopes.filter((scope) => wanted.has(scope));
}

function expand(part: string): readonly KeyScope[] {
  const matching = keyScopes.filter((scope) => scope === part || scope.startsWith(`${part}:`));
  if (part !== '' && matching.length > 0) return matching;
  throw new InvalidArgumentError(`"${part}" is not a scope. The scopes are ${keyScopes.join(', ')}.`);
}
