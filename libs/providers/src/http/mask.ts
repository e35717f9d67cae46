import type { HttpRequest } from '@gangan/http-client';
import type { Answer } from './read-part.js';

/** Removes secrets. */
export type Mask = (text: string) => string;

const minSecretLength = 4;

/** Replaces secrets, also as they are written in a URL, a form or JSON (PHP escapes slashes there). */
export function maskOf(secrets: readonly string[]): Mask {
  const forms = secrets
    .filter((secret) => secret.length >= minSecretLength)
    .flatMap((secret) => [
      secret,
      encodeURIComponent(secret.toWellFormed()),
      new URLSearchParams({ s: secret }).toString().slice(2),
      JSON.stringify(secret).slice(1, -1),
      JSON.stringify(secret)
        .slice(1, -1)
        .replaceAll('/', String.raw`\/`),
    ])
    .toSorted((one, other) => other.length - one.length);
  return (text) => forms.reduce((masked, secret) => masked.replaceAll(secret, '***'), text);
}

/** A request and its answer, as operators may see them. They are masked when they are read, because few are. */
export class ShownExchange {
  readonly #mask: Mask;
  readonly #request: HttpRequest;
  readonly #answer: Answer | undefined;

  constructor(mask: Mask, request: HttpRequest, answer?: Answer) {
    this.#mask = mask;
    this.#request = request;
    this.#answer = answer;
  }

  get request(): HttpRequest {
    return maskRequest(this.#request, this.#mask);
  }

  get answer(): Answer | undefined {
    const answer = this.#answer;
    return answer && { status: answer.status, text: this.#mask(answer.text) };
  }

  withAnswer(answer: Answer): ShownExchange {
    return new ShownExchange(this.#mask, this.#request, answer);
  }
}

function maskRequest({ headers, url, body, ...request }: HttpRequest, mask: Mask): HttpRequest {
  const shown = Object.entries(headers).map(([name, value]) => [
    name,
    name === 'authorization' ? '***' : mask(value),
  ]);
  return {
    ...request,
    url: mask(url),
    headers: Object.fromEntries(shown) as Record<string, string>,
    ...(body !== undefined && { body: mask(body) }),
  };
}
