/** A response of the gateway that did not reach its client. */
export interface LostAnswer {
  /** The `Idempotency-Key` of the request. */
  readonly key: string;
  readonly status: number;
  readonly text: string;
}

const endOfHead = '\r\n\r\n';

/** Reads a request and its lost response, as bytes of HTTP. `undefined` if the request has no key, or bytes are missing. */
export function parseLostAnswer(request: Buffer, response: Buffer): LostAnswer | undefined {
  const key = header(headOf(request), 'idempotency-key');
  const head = headOf(response);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
  const body = response.subarray(head.length + endOfHead.length);
  if (key === undefined || Number(header(head, 'content-length')) !== body.length) return undefined;
  return { key, status, text: body.toString('utf8') };
}

/** All but the body; latin1 keeps the number of bytes. */
const headOf = (message: Buffer): string => message.toString('latin1').split(endOfHead, 1)[0] ?? '';

const header = (head: string, name: string): string | undefined =>
  new RegExp(`^${name}: *(.*)$`, 'im').exec(head)?.[1]?.trim();
