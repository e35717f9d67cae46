/** What is done to the OTPs of one recipient; `which` counts them from the oldest. */
export type Deed =
  | { readonly is: 'verify'; readonly which: number; readonly right: boolean }
  /** The queue runs an earlier request to verify again. */
  | { readonly is: 'repeat'; readonly earlier: number }
  | { readonly is: 'revoke'; readonly which: number }
  | { readonly is: 'fail'; readonly which: number };

export interface ModelOtp {
  readonly status: number;
  readonly attempts: number;
  readonly most: number;
}

/** All that a rule may depend on, in plain values. */
export interface Model {
  readonly otps: readonly ModelOtp[];
  /** Wrong tries within the hour. */
  readonly wrong: number;
  readonly cap: number;
  /** How each request to verify was answered. */
  readonly answers: readonly string[];
}

export const emptyModel = (cap: number): Model => ({ otps: [], wrong: 0, cap, answers: [] });

export const withOtp = (model: Model, most: number): Model => ({
  ...model,
  otps: [...model.otps, { status: 1, attempts: 0, most }],
});

/** An hour passes: everything expires, and wrong tries are forgotten. */
export const anHourLater = (model: Model): Model => ({
  ...model,
  wrong: 0,
  otps: model.otps.map((otp) => (otp.status === 1 ? { ...otp, status: 3 } : otp)),
});

/** What a deed is answered in this state, and what it leaves behind. `place` is where a verification is noted. */
export function after(model: Model, deed: Deed, place: number): readonly [Model, string] {
  if (deed.is === 'repeat') return [model, model.answers[deed.earlier] ?? 'none'];
  const otp = model.otps[deed.which];
  if (!otp) throw new Error('There is no such OTP');
  if (deed.is === 'verify') {
    const [changed, wrong, answer] = verified(otp, deed.right, model);
    const answers = [...model.answers];
    answers[place] = answer;
    return [{ ...put(model, deed.which, changed), wrong, answers }, answer];
  }
  const status = otp.status === 1 ? (deed.is === 'revoke' ? 5 : 4) : otp.status;
  return [put(model, deed.which, { ...otp, status }), deed.is === 'revoke' ? `status ${status}` : 'done'];
}

function verified(otp: ModelOtp, right: boolean, { wrong, cap }: Model): readonly [ModelOtp, number, string] {
  const { status, attempts, most } = otp;
  if (status === 2) return [otp, wrong, '409 already_verified'];
  if (status === 3) return [otp, wrong, '400 token_expired'];
  if (status === 5) return [otp, wrong, '400 token_revoked'];
  if (status === 4) {
    return [otp, wrong, attempts === most ? '429 too_many_attempts' : '400 token_undeliverable'];
  }
  if (cap > 0 && wrong >= cap) return [otp, wrong, '429 too_many_attempts'];
  if (right) return [{ ...otp, status: 2 }, wrong, '200'];
  const ends = attempts + 1 === most;
  const tried = { ...otp, attempts: attempts + 1, status: ends ? 4 : 1 };
  return [tried, wrong + 1, ends ? '429 too_many_attempts' : '400 token_mismatch'];
}

const put = (model: Model, which: number, otp: ModelOtp): Model => ({
  ...model,
  otps: model.otps.map((each, place) => (place === which ? otp : each)),
});

export interface Done {
  readonly deed: Deed;
  readonly place: number;
  readonly answer: string;
}

/** Every state that some order of what was done at once leads to, with exactly the answers that were given. */
export function explanations(from: readonly Model[], done: readonly Done[]): Model[] {
  if (done.length === 0) return [...from];
  const found = done.flatMap((first, at) => {
    const rest = done.filter((_, place) => place !== at);
    const next = from.flatMap((model) => {
      const [changed, answer] = after(model, first.deed, first.place);
      return answer === first.answer ? [changed] : [];
    });
    return next.length === 0 ? [] : explanations(next, rest);
  });
  return [...new Map(found.map((model) => [JSON.stringify(model), model])).values()];
}
