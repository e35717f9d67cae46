import { AppError } from '@gangan/protocol';

const reading = new Set(['GET', 'HEAD']);
const words: Readonly<Record<'read' | 'delete', readonly [message: string, advice: string]>> = {
  read: ['No answer came in time', 'Ask again'],
  delete: [
    'No answer came in time; the request may still be carried out',
    'Send it again: that does no harm',
  ],
};

/** Who only reads creates nothing, and neither reading nor deleting takes an Idempotency-Key. */
export function inWordsFor(method: string, error: AppError): AppError {
  const kind = reading.has(method) ? 'read' : method === 'DELETE' ? 'delete' : undefined;
  if (error.code !== 'outcome_unknown' || !kind) return error;
  const [message, advice] = words[kind];
  return new AppError(error.code, error.status, message, {
    fields: [{ field: 'service', message: advice, type: 'outcome_unknown' }],
    retryAfter: 1,
    cause: error.cause,
  });
}
