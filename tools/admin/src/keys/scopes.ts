import { type KeyScope, keyScopes } from '@gangan/protocol';
import { InvalidArgumentError } from 'commander';

/** `lookup:read,sms`: a domain alone means all that can be done with it. */
export function scopes(text: string): KeyScope[] {
  const wanted = new Set(text.split(',').flatMap((part) => meaning(part.trim())));
  return keyScopes.filter((scope) => wanted.has(scope));
}

function meaning(part: string): readonly KeyScope[] {
  const meant = keyScopes.filter((scope) => scope === part || scope.startsWith(`${part}:`));
  if (part !== '' && meant.length > 0) return meant;
  throw new InvalidArgumentError(`"${part}" is not a scope. The scopes are ${keyScopes.join(', ')}.`);
}
