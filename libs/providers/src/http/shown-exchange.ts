import type { HttpRequest } from '@gangan/http-client';
import type { Mask } from './mask.js';
import type { Answer } from './read-part.js';

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
