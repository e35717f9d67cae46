import type { Intent } from '../traffic/intents.js';
import type { ClientAnswer } from '../traffic/requests.js';

export type Created = 'message' | 'otp' | 'purchase' | 'contact';

/** What a request creates, if it is accepted. */
const creates: Readonly<Record<string, Created>> = {
  send: 'message',
  request: 'otp',
  buy: 'purchase',
  'buy-too': 'purchase',
  create: 'contact',
};

/** What an accepted request has created, by the id in its answer. */
export function createdBy(answer: ClientAnswer): { readonly what: Created; readonly id: string } | undefined {
  const what = creates[answer.request.step];
  if (what === undefined || answer.status !== 200) return undefined;
  const { id, row } = answer.body as { id?: string; row?: { id?: string } };
  return { what, id: (what === 'contact' ? row?.id : id) ?? '' };
}

export const isVerification = ({ request }: ClientAnswer): boolean => request.path === '/otp/verify';

export const otpIdOf = ({ request }: ClientAnswer): string => (request.body as { id: string }).id;

/** By `external_ref`, also of requests without a final answer. */
export const intentsByRef = (answers: readonly ClientAnswer[]): ReadonlyMap<string, Intent> =>
  new Map(answers.map(({ request: { intent } }) => [intent.ref, intent]));

/** The answers without those to repeated requests. */
export const firstAnswers = (answers: readonly ClientAnswer[]): ClientAnswer[] =>
  answers.filter(({ again }) => !again);

/** How many requests that create this have no final answer: each may have created one. */
export const countUnanswered = (answers: readonly ClientAnswer[], what: Created): number =>
  answers.filter(({ request, status }) => creates[request.step] === what && status === 0).length;
