import { type AppError, notFound, unavailable } from '@gangan/protocol';

export const noSuchLink = (): AppError => notFound('The link');

export const tooManyStrangeLinks = (): AppError =>
  unavailable('Too many links are being looked up, try again shortly');

export const cannotLookUp = (cause: unknown): AppError =>
  unavailable('The link cannot be looked up now, try again shortly', cause);
